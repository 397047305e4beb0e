package jobs.resttokafka.limits;

import java.time.Duration;

/**
 * The fixed bounds of this service. What a user may want to change is in
 * {@link RestToKafkaProperties}; what bounds any service is in {@code jobs.chassis.http}.
 */
public enum Limits {

	REQUESTS(500, "requests in service, of some 65 KB each; beyond: 503"),
	UPLOADS(250, "uploads in service, half of all requests since they may go on for ever; beyond: 503"),
	WIDE_UPLOADS(16, "uploads with many lines pending, of some half a megabyte each; beyond: few"),
	PENDING_LINES_WIDE(1024, "lines without an outcome of such an upload, so that it seldom waits for Kafka"),
	PENDING_LINES(256, "lines without an outcome of the other uploads, and errors of bad ones"),
	PENDING_BYTES(2 * 1024 * 1024, "bytes of an upload's lines without an outcome"),
	SMALL_JOB(8192, "bytes of a job, above which it leaves a quarter of the memory to small ones"),
	LARGE_CHECKS(4, "larger jobs being checked, which takes some thirty times their size; beyond: wait"),
	CHUNK(2048, "bytes read from a body at a time"),
	IDEMPOTENCY_KEY(255, "characters of an Idempotency-Key; beyond: 400"),
	DRAINED(2 * 1024 * 1024, "bytes read after an answer, which a client may lose when it is cut off at once"),
	DRAINING(Duration.ofSeconds(5), "time to read these bytes");

	private final long value;

	private final String meaning;

	Limits(long count, String meaning) {
		this.value = count;
		this.meaning = meaning;
	}

	Limits(Duration time, String meaning) {
		this(time.toMillis(), meaning);
	}

	/**
	 * The bound, where it is a number of things.
	 */
	public int count() {
		return Math.toIntExact(this.value);
	}

	/**
	 * The bound, where it is a time.
	 */
	public Duration time() {
		return Duration.ofMillis(this.value);
	}

	/**
	 * What is bounded, in which unit and why, and what happens beyond.
	 */
	public String meaning() {
		return this.meaning;
	}

}
