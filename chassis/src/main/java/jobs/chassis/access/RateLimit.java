package jobs.chassis.access;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import org.jspecify.annotations.Nullable;

/**
 * The rate limit of one client. It can be overdrawn, since the size of a document is
 * known once the document is read: then the client waits until it is made up for. Any
 * thread may use it.
 */
public final class RateLimit {

	/** Of a client without a limit. */
	public static final RateLimit UNLIMITED = new RateLimit(Rate.NONE, TimeMeter.SYSTEM_NANOTIME);

	private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private final @Nullable Bucket jobs;

	private final @Nullable Bucket bytes;

	RateLimit(Rate limit, TimeMeter clock) {
		this.jobs = bucket(limit.jobs(), clock);
		this.bytes = bucket(limit.bytes(), clock);
	}

	private static @Nullable Bucket bucket(@Nullable Long perSecond, TimeMeter clock) {
		if (perSecond == null) {
			return null;
		}
		return Bucket.builder()
			.addLimit((limit) -> limit.capacity(perSecond).refillGreedy(perSecond, Duration.ofSeconds(1)))
			.withCustomTimePrecision(clock)
			.build();
	}

	/**
	 * How long the client has to wait before its next document, in ns; 0 if it need not.
	 */
	public long nanosToWait() {
		return Math.max(nanosToWait(this.jobs), nanosToWait(this.bytes));
	}

	private static long nanosToWait(@Nullable Bucket bucket) {
		return (bucket == null || bucket.getAvailableTokens() > 0) ? 0
				: bucket.estimateAbilityToConsume(1).getNanosToWaitForRefill();
	}

	/**
	 * Waits until the client may send again, or this thread is interrupted, which the
	 * check can see then.
	 * @param check what is run twice a second at least; what it throws ends the wait
	 */
	public void await(Runnable check) {
		try {
			for (long nanos = nanosToWait(); nanos > 0; nanos = nanosToWait()) {
				TimeUnit.NANOSECONDS.sleep(Math.min(nanos, NAP_NANOS));
				check.run();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			check.run();
		}
	}

	/** Takes the place of a document, which need not be free. */
	public void takeDocument() {
		if (this.jobs != null) {
			this.jobs.consumeIgnoringRateLimits(1);
		}
	}

	/** Takes the bytes of a document, which need not be free. */
	public void takeBytes(long bytes) {
		if (this.bytes != null && bytes > 0) {
			this.bytes.consumeIgnoringRateLimits(bytes);
		}
	}

}
