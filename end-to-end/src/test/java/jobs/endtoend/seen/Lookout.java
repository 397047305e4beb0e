package jobs.endtoend.seen;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import jobs.endtoend.pair.Access;
import org.jspecify.annotations.Nullable;

/**
 * Looks every second at the readiness and the metrics of a service, and notes when each
 * {@link Sign} was there.
 */
final class Lookout {

	private static final Duration LIMIT = Duration.ofSeconds(5);

	/** One look may fail on a machine that is busy. */
	private static final int SILENT_LOOKS = 2;

	private final HttpClient http;

	private final Access access;

	private final String service;

	private final int port;

	private final String leftOut;

	private final Map<Sign, Sighting> open = new EnumMap<>(Sign.class);

	private final List<Sighting> closed = new ArrayList<>();

	private int failures;

	private long firstFailure;

	private volatile boolean ending;

	private volatile @Nullable RuntimeException end;

	/**
	 * Somebody who has not looked yet.
	 * @param service its name
	 * @param port where it listens
	 * @param access how to get in there
	 * @param leftOut what stands in metrics that don't count; nothing where all count
	 */
	Lookout(String service, int port, Access access, String leftOut) {
		this.leftOut = leftOut;
		this.service = service;
		this.port = port;
		this.access = access;
		this.http = access.client(LIMIT);
	}

	/**
	 * Looks until told to end.
	 */
	void run() {
		try {
			while (!this.ending) {
				look();
				TimeUnit.SECONDS.sleep(1);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException ex) {
			this.end = ex;
		}
	}

	/** Throws what has ended the looks too early, after which nothing was seen. */
	void requireLooks() {
		if (this.end != null) {
			throw new IllegalStateException("Nobody has looked at %s to the end".formatted(this.service), this.end);
		}
	}

	void end() {
		this.ending = true;
	}

	void look() throws InterruptedException {
		long began = System.currentTimeMillis();
		try {
			HttpResponse<String> readiness = get("/actuator/health/readiness");
			List<String> metrics = get("/actuator/prometheus").body()
				.lines()
				.filter((line) -> line.startsWith("jobs_") && (this.leftOut.isEmpty() || !line.contains(this.leftOut)))
				.toList();
			Set<Sign> signs = EnumSet.noneOf(Sign.class);
			for (Sign sign : Sign.values()) {
				if (sign.isIn(metrics) || (sign == Sign.NOT_READY && readiness.statusCode() != 200)) {
					signs.add(sign);
				}
			}
			this.failures = 0;
			note(signs, System.currentTimeMillis(), readiness.body());
		}
		catch (ExecutionException | TimeoutException ex) {
			this.failures++;
			this.firstFailure = (this.failures == 1) ? began : this.firstFailure;
			if (this.failures == SILENT_LOOKS) {
				note(Set.of(), this.firstFailure, "");
			}
			if (this.failures >= SILENT_LOOKS) {
				silent(System.currentTimeMillis(), ex.toString());
			}
		}
	}

	private HttpResponse<String> get(String path) throws InterruptedException, ExecutionException, TimeoutException {
		CompletableFuture<HttpResponse<String>> answer = this.http
			.sendAsync(this.access.request(this.port, path).build(), BodyHandlers.ofString());
		try {
			HttpResponse<String> response = answer.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
			if (path.endsWith("prometheus") && response.statusCode() != 200) {
				throw new ExecutionException(new IOException("status " + response.statusCode()));
			}
			return response;
		}
		finally {
			answer.cancel(true);
		}
	}

	private synchronized void note(Set<Sign> signs, long at, String detail) {
		for (Sign sign : List.copyOf(this.open.keySet())) {
			if (!signs.contains(sign)) {
				this.closed.add(this.open.remove(sign));
			}
		}
		signs.forEach((sign) -> this.open.merge(sign,
				new Sighting(sign, this.service, new Span(at, at + 1), (sign == Sign.NOT_READY) ? detail : ""),
				(before, now) -> lasting(before, at)));
	}

	private synchronized void silent(long at, String detail) {
		this.open.merge(Sign.SILENT, new Sighting(Sign.SILENT, this.service, new Span(this.firstFailure, at), detail),
				(before, now) -> lasting(before, at));
	}

	private static Sighting lasting(Sighting sighting, long at) {
		return new Sighting(sighting.sign(), sighting.where(), new Span(sighting.span().from(), at), sighting.detail());
	}

	/**
	 * The signs that were there at the last look.
	 */
	synchronized List<Sighting> present() {
		return List.copyOf(this.open.values());
	}

	/**
	 * All signs that were ever there.
	 */
	synchronized List<Sighting> sightings() {
		List<Sighting> all = new ArrayList<>(this.closed);
		all.addAll(this.open.values());
		return all;
	}

}
