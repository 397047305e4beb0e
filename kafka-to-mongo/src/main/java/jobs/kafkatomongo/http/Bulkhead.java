package jobs.kafkatomongo.http;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * A fixed number of places, each held by a request for a while. A request that finds none
 * waits, for {@link #PLACE_WAIT} at most.
 */
public class Bulkhead {

	/**
	 * Wait for a place among answers, their bytes, documents, pages, corrections, replays
	 * and discards; beyond: 503.
	 */
	private static final Duration PLACE_WAIT = Duration.ofSeconds(2);

	private final Semaphore free;

	private final String refusal;

	/** Makes places; a client reads the refusal when none gets free. */
	public Bulkhead(int places, String refusal) {
		this.free = new Semaphore(places);
		this.refusal = refusal;
	}

	/**
	 * Takes a place, which the caller closes to give it back. Throws NoPlaceException
	 * when none gets free in time, and InterruptedException when this service stops.
	 */
	public Taken take() throws InterruptedException {
		return take(1);
	}

	/** Takes several places at once. */
	Taken take(int places) throws InterruptedException {
		if (!this.free.tryAcquire(places, PLACE_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
			throw new NoPlaceException(this.refusal);
		}
		return () -> this.free.release(places);
	}

	/** Takes a place that is free now, or throws NoPlaceException. */
	public Taken takeAtOnce() {
		if (!this.free.tryAcquire()) {
			throw new NoPlaceException(this.refusal);
		}
		return this.free::release;
	}

	/** A place that a request holds. */
	public interface Taken extends AutoCloseable {

		/** Gives the place back. */
		@Override
		void close();

	}

	/** Refuses for lack of a place: 503 with {@code Retry-After: 1} (seconds). */
	public static final class NoPlaceException extends ResponseStatusException {

		NoPlaceException(String detail) {
			super(HttpStatus.SERVICE_UNAVAILABLE, detail);
		}

		@Override
		public HttpHeaders getHeaders() {
			HttpHeaders headers = new HttpHeaders();
			headers.set(HttpHeaders.RETRY_AFTER, "1");
			return headers;
		}

	}

}
