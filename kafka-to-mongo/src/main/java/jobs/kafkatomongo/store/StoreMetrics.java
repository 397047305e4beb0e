package jobs.kafkatomongo.store;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jobs.kafkatomongo.document.ParsedRecord;

import org.springframework.stereotype.Component;

/** Counts and measures what is stored; {@code docs/watch.md} lists the names. */
@Component
class StoreMetrics {

	private final Counter stored;

	private final Counter duplicates;

	private final Counter erased;

	private final Counter superseded;

	private final Timer latency;

	private final Timer batchTime;

	private final DistributionSummary batchSize;

	StoreMetrics(MeterRegistry registry) {
		this.stored = Counter.builder("jobs.stored").description("Documents inserted or replaced").register(registry);
		this.duplicates = Counter.builder("jobs.duplicates")
			.description("Documents that were stored already and recognised")
			.register(registry);
		this.erased = Counter.builder("jobs.kept.out")
			.description("Records that came of documents that were erased, and were not stored")
			.register(registry);
		this.superseded = Counter.builder("jobs.superseded")
			.description("Documents of which a higher version was stored already")
			.register(registry);
		this.latency = Timer.builder("jobs.end.to.end")
			.description("From a document's acceptance to its insert")
			.register(registry);
		this.batchTime = Timer.builder("jobs.batch").description("Parsing and storing a batch").register(registry);
		this.batchSize = DistributionSummary.builder("jobs.batch.size")
			.description("Records of a batch")
			.register(registry);
	}

	void stored(List<ParsedRecord> records) {
		long now = System.currentTimeMillis();
		for (ParsedRecord parsed : records) {
			this.latency.record(Math.max(0, now - parsed.record().timestamp()), TimeUnit.MILLISECONDS);
		}
		this.stored.increment(records.size());
	}

	void duplicates(int count) {
		this.duplicates.increment(count);
	}

	void erased(int count) {
		this.erased.increment(count);
	}

	void superseded(int count) {
		this.superseded.increment(count);
	}

	void batch(int size, long nanos) {
		this.batchSize.record(size);
		this.batchTime.record(nanos, TimeUnit.NANOSECONDS);
	}

}
