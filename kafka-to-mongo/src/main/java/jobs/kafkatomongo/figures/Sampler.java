package jobs.kafkatomongo.figures;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import jobs.kafkatomongo.lag.ConsumerLag;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Takes a sample of the figures every two seconds, once for all consoles. The rates are
 * Kafka's figures, of all instances; latencies and dead letters are those of this
 * instance.
 */
@Component
class Sampler {

	private final ConsumerLag lag;

	private final MeterRegistry meters;

	private final History history = new History();

	private final Map<String, Double> deadLetters = new HashMap<>();

	private ConsumerLag.@Nullable Snapshot before;

	private Latencies latencies = Latencies.NONE;

	Sampler(ConsumerLag lag, MeterRegistry meters) {
		this.lag = lag;
		this.meters = meters;
	}

	History history() {
		return this.history;
	}

	@Scheduled(fixedDelay = 2000)
	void sample() {
		ConsumerLag.Snapshot now = this.lag.snapshot();
		if (this.before != null && now.isRecent() && now.at().equals(this.before.at())) {
			// Kafka is being asked
			return;
		}
		// without the timer, as where it is switched off, no latency is known
		Timer timer = this.meters.find("jobs.end.to.end").timer();
		Latencies latencies = (timer != null) ? Latencies.of(timer.takeSnapshot()) : Latencies.NONE;
		Double accepted = null;
		Double stored = null;
		if (this.before != null && now.isRecent()) {
			double seconds = (now.nanos() - this.before.nanos()) / 1e9;
			long came = now.published() - this.before.published();
			accepted = rate(came, seconds);
			stored = rate(came - now.waiting() + this.before.waiting(), seconds);
		}
		this.history.add(new History.Sample(Instant.now(), accepted, stored, now.isRecent() ? now.waiting() : null,
				latencies.percentile(0.5, this.latencies), latencies.percentile(0.99, this.latencies),
				newDeadLetters()));
		this.latencies = latencies;
		this.before = now.isRecent() ? now : null;
	}

	/** A topic that was created again counts from 0. */
	private static @Nullable Double rate(long records, double seconds) {
		return (seconds > 0) ? Math.max(0, records / seconds) : null;
	}

	/** How many records became dead letters since the last call, by their reason. */
	private Map<String, Long> newDeadLetters() {
		Map<String, Long> added = new HashMap<>();
		for (Counter counter : this.meters.find("jobs.dead.letters").counters()) {
			String reason = String.valueOf(counter.getId().getTag("reason"));
			Double before = this.deadLetters.put(reason, counter.count());
			long more = Math.round(counter.count() - ((before != null) ? before : 0));
			if (more > 0) {
				added.put(reason, more);
			}
		}
		return added;
	}

	/**
	 * The samples of the last minutes, so that a chart does not begin with its page. The
	 * oldest give way beyond {@link #HISTORY_SAMPLES} and {@link #HISTORY_TIME}.
	 */
	static class History {

		/** Samples that the charts of the console show, one every two seconds. */
		static final int HISTORY_SAMPLES = 450;

		/** Time that the charts of the console show. */
		static final Duration HISTORY_TIME = Duration.ofSeconds(900);

		private final Deque<Sample> samples = new ArrayDeque<>();

		/** How many samples there ever were. */
		private long count;

		synchronized void add(Sample sample) {
			// a clock that was set back would draw lines backwards
			if (!this.samples.isEmpty() && !sample.at().isAfter(this.samples.getLast().at())) {
				this.samples.clear();
			}
			this.samples.add(sample);
			this.count++;
			Instant first = sample.at().minus(HISTORY_TIME);
			while (this.samples.size() > HISTORY_SAMPLES || this.samples.getFirst().at().isBefore(first)) {
				this.samples.removeFirst();
			}
		}

		/** The samples after the first {@code seen} ones, as far as they are kept. */
		synchronized Part after(long seen) {
			long kept = Math.min(this.samples.size(), this.count - seen);
			return new Part(this.count, this.samples.stream().skip(this.samples.size() - kept).toList());
		}

		/** Some samples in their order, and how many there ever were. */
		record Part(long count, List<Sample> samples) {

		}

		/**
		 * The figures of a moment; what is not known is {@code null}.
		 *
		 * @param accepted records that came to the topic, for each second
		 * @param stored records that were committed, for each second
		 * @param waiting records that are not committed
		 * @param median half of the documents were stored within so many milliseconds
		 * @param p99 99 of 100 documents were stored within so many milliseconds
		 * @param deadLetters how many records became dead letters, by their reason
		 */
		record Sample(Instant at, @Nullable Double accepted, @Nullable Double stored, @Nullable Long waiting,
				@Nullable Double median, @Nullable Double p99, Map<String, Long> deadLetters) {

		}

	}

	/**
	 * How long the documents took that a timer counted between two looks. The timer
	 * counts in buckets, so a percentile is as exact as its bucket is narrow.
	 *
	 * @param bounds the upper ends of the buckets, in milliseconds
	 * @param counts how many documents took no longer than each of these, since the
	 * service runs
	 * @param all how many documents there were, since the service runs
	 */
	record Latencies(double[] bounds, double[] counts, double all) {

		static final Latencies NONE = new Latencies(new double[0], new double[0], 0);

		static Latencies of(HistogramSnapshot timer) {
			CountAtBucket[] buckets = timer.histogramCounts();
			double[] bounds = new double[buckets.length];
			double[] counts = new double[buckets.length];
			for (int i = 0; i < buckets.length; i++) {
				bounds[i] = buckets[i].bucket(TimeUnit.MILLISECONDS);
				counts[i] = buckets[i].count();
			}
			return new Latencies(bounds, counts, timer.count());
		}

		/**
		 * The milliseconds within which this share of the documents since another look
		 * was stored, estimated within a bucket; {@code null} where there were none. Of
		 * documents beyond the last bucket only its bound is known.
		 */
		@Nullable Double percentile(double share, Latencies before) {
			double wanted = share * (this.all - before.all);
			if (wanted <= 0 || this.bounds.length == 0) {
				return null;
			}
			double below = 0;
			double from = 0;
			for (int i = 0; i < this.bounds.length && Double.isFinite(this.bounds[i]); i++) {
				double within = this.counts[i] - ((i < before.counts.length) ? before.counts[i] : 0);
				if (within >= wanted) {
					return from + (this.bounds[i] - from) * (wanted - below) / (within - below);
				}
				below = within;
				from = this.bounds[i];
			}
			return from;
		}

	}

}
