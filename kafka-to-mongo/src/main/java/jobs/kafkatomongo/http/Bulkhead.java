package jobs.kafkatomongo.http;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * A fixed number of places, each held by a request for a while. A request that finds none
 * waits, for {@link #PLACE_WAIT} at most.
 * <p>
 * Who takes places for a client gets no more than half of what the others leave, unless
 * that client holds none: so a client that keeps all it gets leaves room for others.
 */
public class Bulkhead {

	/**
	 * Wait for a place among answers, their bytes, documents, pages, corrections,
	 * replays, discards and erasures; beyond: 503.
	 */
	private static final Duration PLACE_WAIT = Duration.ofSeconds(2);

	private final String refusal;

	private final Duration wait;

	/** The places of each client that holds some. */
	private final Map<String, Integer> held = new HashMap<>();

	private int free;

	/** Makes places; a client reads the refusal when none gets free. */
	public Bulkhead(int places, String refusal) {
		this(places, refusal, PLACE_WAIT);
	}

	Bulkhead(int places, String refusal, Duration wait) {
		this.free = places;
		this.refusal = refusal;
		this.wait = wait;
	}

	/**
	 * Takes a place, which the caller closes to give it back. Throws NoPlaceException
	 * when none gets free in time, and InterruptedException when this service stops.
	 */
	public synchronized Taken take() throws InterruptedException {
		await(() -> this.free >= 1);
		this.free--;
		return () -> giveBack(1);
	}

	/** Takes a place for the client of a request, as {@link #take()} does. */
	public Taken take(HttpServletRequest request) throws InterruptedException {
		return take(1, ClientName.of(request));
	}

	/** Takes several places at once for a client, as {@link #take()} does. */
	synchronized Taken take(int places, String client) throws InterruptedException {
		await(() -> mayTake(places, client));
		return grant(places, client);
	}

	/**
	 * As {@link #take(int, String)}, but it does not wait where places are free that this
	 * client may not have: whoever waits holds other places meanwhile.
	 */
	synchronized Taken takeShare(int places, String client) throws InterruptedException {
		if (this.free >= places && !mayTake(places, client)) {
			throw new NoPlaceException(this.refusal);
		}
		return take(places, client);
	}

	private void await(BooleanSupplier condition) throws InterruptedException {
		long start = System.nanoTime();
		while (!condition.getAsBoolean()) {
			long left = this.wait.toNanos() - (System.nanoTime() - start);
			if (left <= 0) {
				throw new NoPlaceException(this.refusal);
			}
			TimeUnit.NANOSECONDS.timedWait(this, left);
		}
	}

	private boolean mayTake(int places, String client) {
		int own = this.held.getOrDefault(client, 0);
		return this.free >= places && (own == 0 || own + places <= (this.free + own) / 2);
	}

	/**
	 * Takes a place that is free now for the client of a request, or throws
	 * NoPlaceException.
	 */
	public Taken takeAtOnce(HttpServletRequest request) {
		return takeAtOnce(ClientName.of(request));
	}

	/**
	 * As {@link #takeAtOnce(HttpServletRequest)}, for whoever else shares the places,
	 * such as a resource.
	 */
	public synchronized Taken takeAtOnce(String client) {
		if (!mayTake(1, client)) {
			throw new NoPlaceException(this.refusal);
		}
		return grant(1, client);
	}

	private Taken grant(int places, String client) {
		this.free -= places;
		this.held.merge(client, places, Integer::sum);
		return () -> giveBack(places, client);
	}

	private synchronized void giveBack(int places) {
		this.free += places;
		notifyAll();
	}

	private synchronized void giveBack(int places, String client) {
		this.held.computeIfPresent(client, (_, own) -> (own > places) ? own - places : null);
		giveBack(places);
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
