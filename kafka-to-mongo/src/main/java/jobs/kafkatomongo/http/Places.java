package jobs.kafkatomongo.http;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import jobs.kafkatomongo.limits.Limits;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * Places of which there are so many, each held by a request for a while. Who finds none
 * waits, but no longer than {@link Limits#PLACE_WAIT}.
 */
public class Places {

	private final Semaphore free;

	private final String refusal;

	/**
	 * Makes places.
	 * @param places how many
	 * @param refusal what to say when none gets free
	 */
	public Places(int places, String refusal) {
		this.free = new Semaphore(places);
		this.refusal = refusal;
	}

	/**
	 * Takes a place, which the caller gives back by closing it.
	 * @return the place
	 * @throws NoPlaceException when none gets free in time
	 * @throws InterruptedException when this service stops
	 */
	public Taken take() throws InterruptedException {
		return take(1);
	}

	/**
	 * Takes several places at once.
	 */
	Taken take(int places) throws InterruptedException {
		if (!this.free.tryAcquire(places, Limits.PLACE_WAIT.time().toMillis(), TimeUnit.MILLISECONDS)) {
			throw new NoPlaceException(this.refusal);
		}
		return () -> this.free.release(places);
	}

	/**
	 * Takes a place if one is free now.
	 * @return the place
	 * @throws NoPlaceException when none is free
	 */
	public Taken takeAtOnce() {
		if (!this.free.tryAcquire()) {
			throw new NoPlaceException(this.refusal);
		}
		return this.free::release;
	}

	/**
	 * A place that was taken.
	 */
	public interface Taken extends AutoCloseable {

		/**
		 * Gives the place back.
		 */
		@Override
		void close();

	}

	/**
	 * No place: 503 with {@code Retry-After}.
	 */
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
