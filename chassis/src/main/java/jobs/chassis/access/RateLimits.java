package jobs.chassis.access;

import java.time.Duration;
import java.util.concurrent.Semaphore;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.TimeMeter;

/**
 * The rate limits of the clients that have one. None is forgotten for its age: else a
 * client would lose its debt by a pause.
 */
public final class RateLimits {

	/** Clients whose rate limit is kept; the least used go first. */
	private static final int KEPT = 10_000;

	/** Requests that wait for their turn at once; those beyond are refused at once. */
	static final int WAITING = 50;

	private static final long PATIENCE_NANOS = Duration.ofMillis(100).toNanos();

	private final Cache<Client, RateLimit> rateLimits = Caffeine.newBuilder().maximumSize(KEPT).build();

	private final Semaphore places = new Semaphore(WAITING);

	private final Pause pause;

	/** Makes a table without clients. */
	public RateLimits() {
		this((nanos) -> Thread.sleep(Duration.ofNanos(nanos)));
	}

	RateLimits(Pause pause) {
		this.pause = pause;
	}

	/** The rate limit of a client, a new one where its rate has changed. */
	public RateLimit of(String name, Rate limit) {
		return limit.equals(Rate.NONE) ? RateLimit.UNLIMITED : this.rateLimits.get(new Client(name, limit),
				(client) -> new RateLimit(client.limit(), TimeMeter.SYSTEM_NANOTIME));
	}

	/**
	 * Waits for the turn of a client, for 100 ms at most. A client that is refused at
	 * once and asks again at once takes as much CPU time as one that sends documents.
	 * @return how long the client still has to wait before its next document, in ns; 0 if
	 * it need not
	 */
	public long nanosToWait(RateLimit rateLimit) {
		long nanos = rateLimit.nanosToWait();
		if (nanos == 0 || !this.places.tryAcquire()) {
			return nanos;
		}
		try {
			this.pause.take(Math.min(nanos, PATIENCE_NANOS));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.places.release();
		}
		return rateLimit.nanosToWait();
	}

	private record Client(String name, Rate limit) {

	}

	/** How a thread waits. */
	interface Pause {

		void take(long nanos) throws InterruptedException;

	}

}
