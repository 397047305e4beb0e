package jobs.kafkatomongo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * What this service counts and measures, under the names that README.md lists. No label
 * has more values than there are partitions, reasons or outcomes.
 */
class JobMetrics {

	private static final Duration[] LATENCIES = { Duration.ofMillis(5), Duration.ofMillis(10), Duration.ofMillis(25),
			Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofMillis(250), Duration.ofMillis(500),
			Duration.ofSeconds(1), Duration.ofMillis(2500), Duration.ofSeconds(5), Duration.ofSeconds(10),
			Duration.ofSeconds(30), Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ofMinutes(30) };

	private final MeterRegistry registry;

	private final Counter stored;

	private final Counter duplicates;

	private final Counter retries;

	private final Timer latency;

	private final Timer batchTime;

	private final DistributionSummary batchSize;

	/** Milliseconds, by consumer, each of which has a thread. */
	private final Map<Thread, Long> backOffs = new ConcurrentHashMap<>();

	JobMetrics(MeterRegistry registry) {
		this.registry = registry;
		this.stored = Counter.builder("jobs.stored").description("Jobs inserted").register(registry);
		this.duplicates = Counter.builder("jobs.duplicates")
			.description("Jobs that were stored already and recognised")
			.register(registry);
		this.retries = Counter.builder("jobs.batch.retries")
			.description("Batches that could not be stored and are tried again")
			.register(registry);
		this.latency = Timer.builder("jobs.end.to.end")
			.description("From a job's acceptance to its insert")
			.serviceLevelObjectives(LATENCIES)
			.register(registry);
		this.batchTime = Timer.builder("jobs.batch")
			.description("Parsing and storing a batch")
			.serviceLevelObjectives(LATENCIES)
			.register(registry);
		this.batchSize = DistributionSummary.builder("jobs.batch.size")
			.description("Records of a batch")
			.serviceLevelObjectives(1, 10, 100, 500, 1000, 2000)
			.register(registry);
		for (DeadLetter.Reason reason : DeadLetter.Reason.values()) {
			deadLetters(reason);
		}
		Gauge
			.builder("jobs.back.off",
					() -> this.backOffs.values().stream().mapToLong(Long::longValue).max().orElse(0) / 1000.0)
			.baseUnit("seconds")
			.description("The pause before a batch is tried again, 0 when none waits")
			.register(registry);
	}

	void stored(List<Job> jobs) {
		long now = System.currentTimeMillis();
		for (Job job : jobs) {
			this.latency.record(Math.max(0, now - job.record().timestamp()), TimeUnit.MILLISECONDS);
		}
		this.stored.increment(jobs.size());
	}

	void duplicates(int count) {
		this.duplicates.increment(count);
	}

	void batch(int size, long nanos) {
		this.batchSize.record(size);
		this.batchTime.record(nanos, TimeUnit.NANOSECONDS);
	}

	void deadLetter(DeadLetter.Reason reason) {
		deadLetters(reason).increment();
	}

	private Counter deadLetters(DeadLetter.Reason reason) {
		return Counter.builder("jobs.dead.letters")
			.description("Records that were published as dead letters")
			.tag("reason", reason.toString())
			.register(this.registry);
	}

	/**
	 * Notes that this thread's consumer tries its batch again.
	 * @param millis the pause before it does
	 */
	void waits(long millis) {
		this.retries.increment();
		this.backOffs.put(Thread.currentThread(), millis);
	}

	/**
	 * Notes that this thread's consumer waits no more.
	 */
	void settled() {
		this.backOffs.remove(Thread.currentThread());
	}

	void listeners(BooleanSupplier areRunning) {
		Gauge.builder("jobs.listener.running", () -> areRunning.getAsBoolean() ? 1 : 0)
			.description("1 while all listeners run, 0 while one does not")
			.register(this.registry);
	}

	/**
	 * Shows how many records of a partition wait.
	 */
	void lag(int partition, Supplier<Number> records) {
		Gauge.builder("jobs.lag", records)
			.description("Records of a partition that are not known to be stored")
			.tag("partition", Integer.toString(partition))
			.register(this.registry);
	}

	/**
	 * Shows how old the oldest record is that waits.
	 * @param oldest when it was published, {@code null} when none waits
	 */
	void oldest(Supplier<@Nullable Instant> oldest) {
		Gauge.builder("jobs.oldest.waiting", () -> {
			Instant since = oldest.get();
			return (since != null) ? Math.max(0, Duration.between(since, Instant.now()).toMillis() / 1000.0) : 0;
		})
			.baseUnit("seconds")
			.description("Age of the oldest record that is not known to be stored, 0 when none waits")
			.register(this.registry);
	}

	Timer latency() {
		return this.latency;
	}

}
