package jobs.resttokafka;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * What this service counts and measures, under the names that README.md lists. The only
 * label is the status of an answer.
 */
class JobMetrics {

	private static final Duration[] LATENCIES = { Duration.ofMillis(1), Duration.ofMillis(2), Duration.ofMillis(5),
			Duration.ofMillis(10), Duration.ofMillis(25), Duration.ofMillis(50), Duration.ofMillis(100),
			Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofMillis(2500) };

	private final MeterRegistry registry;

	private final Timer acknowledgement;

	private final Map<Integer, Counter> requests = new ConcurrentHashMap<>();

	private final Map<Integer, Counter> lines = new ConcurrentHashMap<>();

	JobMetrics(MeterRegistry registry) {
		this.registry = registry;
		this.acknowledgement = Timer.builder("jobs.acknowledgement")
			.description("From handing a job to the producer to Kafka's acknowledgement")
			.serviceLevelObjectives(LATENCIES)
			.register(registry);
		// there from the start, so that an alert sees the first of them
		requests(202);
		requests(503);
		lines(202);
		lines(503);
	}

	/**
	 * Notes that a request was answered.
	 */
	void request(int status) {
		requests(status).increment();
	}

	private Counter requests(int status) {
		return counter(this.requests, status, "jobs.requests", "Requests, by the status of their answer");
	}

	/**
	 * Notes that a line of an upload was answered.
	 */
	void line(int status) {
		lines(status).increment();
	}

	private Counter lines(int status) {
		return counter(this.lines, status, "jobs.upload.lines", "Lines of uploads, by the status of their outcome");
	}

	private Counter counter(Map<Integer, Counter> counters, int status, String name, String description) {
		return counters.computeIfAbsent(status,
				(number) -> Counter.builder(name)
					.description(description)
					.tag("status", number.toString())
					.register(this.registry));
	}

	/**
	 * Notes that Kafka has a job.
	 * @param start when the producer got it, in the nanoseconds of {@link System}
	 */
	void acknowledged(long start) {
		this.acknowledgement.record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
	}

	void inFlight(Supplier<Number> bytes) {
		Gauge.builder("jobs.in.flight", bytes)
			.baseUnit("bytes")
			.description("Jobs that are being read or await Kafka")
			.register(this.registry);
	}

}
