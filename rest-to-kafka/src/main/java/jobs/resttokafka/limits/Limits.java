package jobs.resttokafka.limits;

import java.time.Duration;

import jobs.chassis.operations.Bound;

/**
 * The fixed bounds of this service. What a user may want to change is in
 * {@link RestToKafkaProperties}; what bounds any service is in {@code jobs.chassis.http}.
 */
public final class Limits {

	public static final Bound REQUESTS = Bound.of(500, "requests in service, of some 65 KB each; beyond: 503");

	public static final Bound UPLOADS = Bound.of(250,
			"uploads in service, half of all requests since they may go on for ever; beyond: 503");

	public static final Bound WIDE_UPLOADS = Bound.of(16,
			"uploads with many lines pending, of some half a megabyte each; beyond: few");

	public static final Bound PENDING_LINES_WIDE = Bound.of(1024,
			"lines without an outcome of such an upload, so that it seldom waits for Kafka");

	public static final Bound PENDING_LINES = Bound.of(256,
			"lines without an outcome of the other uploads, and errors of bad ones");

	public static final Bound PENDING_BYTES = Bound.of(2 * 1024 * 1024,
			"bytes of an upload's lines without an outcome");

	public static final Bound SMALL_JOB = Bound.of(8192,
			"bytes of a job, above which it leaves a quarter of the memory to small ones");

	public static final Bound LARGE_CHECKS = Bound.of(4,
			"larger jobs being checked, which takes some thirty times their size; beyond: wait");

	public static final Bound CHUNK = Bound.of(2048, "bytes read from a body at a time");

	public static final Bound IDEMPOTENCY_KEY = Bound.of(255, "characters of an Idempotency-Key; beyond: 400");

	public static final Bound DRAINED = Bound.of(2 * 1024 * 1024,
			"bytes read after an answer, which a client may lose when it is cut off at once");

	public static final Bound DRAINING = Bound.of(Duration.ofSeconds(5), "time to read these bytes");

	private Limits() {
	}

}
