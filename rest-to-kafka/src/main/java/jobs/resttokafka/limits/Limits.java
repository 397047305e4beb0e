package jobs.resttokafka.limits;

import java.time.Duration;

/**
 * The fixed bounds of this service. What a user may want to change is in
 * {@link RestToKafkaProperties}; what bounds any service is in {@code jobs.chassis.http}.
 */
public final class Limits {

	/** Requests in service, of some 65 KB each; beyond: 503. */
	public static final int REQUESTS = 500;

	/**
	 * Uploads in service, half of all requests since they may go on for ever; beyond:
	 * wait.
	 */
	public static final int UPLOADS = 250;

	/** Uploads that wait for a place among UPLOADS; beyond: 503. */
	public static final int WAITING_UPLOADS = 100;

	/** Wait for a place among UPLOADS; beyond: 503. */
	public static final Duration PLACE_WAIT = Duration.ofSeconds(2);

	/**
	 * Milliseconds that a client takes for a line, after which its upload ends when
	 * another waits for a place.
	 */
	public static final int SLOW_LINE_MILLIS = 500;

	/**
	 * Wide uploads, which have many lines pending, of some half a megabyte each; beyond:
	 * few lines.
	 */
	public static final int WIDE_UPLOADS = 16;

	/** Lines without an outcome of a wide upload, so that it seldom waits for Kafka. */
	public static final int PENDING_LINES_WIDE = 1024;

	/** Lines without an outcome of any other upload, and errors of its bad lines. */
	public static final int PENDING_LINES = 256;

	/** Bytes of an upload's lines without an outcome. */
	public static final int PENDING_BYTES = 2 * 1024 * 1024;

	/** Wait of an upload that is ahead of its client's allowance; beyond: it ends. */
	public static final Duration PACE = Duration.ofSeconds(60);

	/**
	 * Bytes of a single job, above which it leaves a quarter of the memory to small ones.
	 */
	public static final int SMALL_JOB_BYTES = 8192;

	/**
	 * Jobs above SMALL_JOB_BYTES being checked, which takes some thirty times their size;
	 * beyond: wait.
	 */
	public static final int LARGE_CHECKS = 4;

	/** Bytes read from a body at a time. */
	public static final int CHUNK_BYTES = 2048;

	/** Bytes of an upload's outcomes that are sent together. */
	public static final int OUTCOMES_BYTES = 8192;

	/** Milliseconds that a job waits for Kafka's producer to be made; beyond: 503. */
	public static final int PRODUCER_MILLIS = 500;

	/** Characters of an Idempotency-Key; beyond: 400. */
	public static final int IDEMPOTENCY_KEY = 255;

	private Limits() {
	}

}
