package jobs.crawler.pair;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends documents and deletions to rest-to-kafka, and tries again until it has them: ids
 * and versions make that harmless.
 */
final class PairClient {

	/**
	 * The longest time for the beginning of an answer, beyond which another try begins.
	 */
	static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

	/** What a wait may change. */
	private static final Set<Integer> LATER = Set.of(408, 425, 429, 500, 502, 503, 504);

	private static final JsonMapper JSON = JsonMapper.builder().build();

	private final HttpClient http;

	private final URI address;

	private final @Nullable String key;

	private final Duration patience;

	private final Duration timeout;

	private final Consumer<String> waits;

	/**
	 * How many documents go together: fewer after a time-out, as of a pair that takes few
	 * a second of this key, and more again after each answer.
	 */
	private int together = Integer.MAX_VALUE;

	/**
	 * Makes a client.
	 * @param address of the resource at rest-to-kafka, such as
	 * {@code http://localhost:9090/postings}
	 * @param key an API key; {@code null} for none
	 * @param patience for how long it tries again
	 * @param timeout for the beginning of an answer; a whole one may take twice as long
	 * @param waits hears why it tries again, once for each request
	 */
	PairClient(URI address, @Nullable String key, Duration patience, Duration timeout, Consumer<String> waits) {
		this.address = address;
		this.key = key;
		this.patience = patience;
		this.timeout = timeout;
		this.http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(timeout).build();
		this.waits = waits;
	}

	/**
	 * Uploads documents, and returns once the pair has them.
	 * @param documents one line of JSON each
	 * @return why the pair refuses which of them, for ever
	 * @throws IOException where it does not take them within the patience, or none at all
	 */
	List<Refusal> upload(List<byte[]> documents) throws IOException, InterruptedException {
		List<Refusal> refusals = new ArrayList<>();
		int from = 0;
		long end = end();
		while (from < documents.size()) {
			List<byte[]> some = documents.subList(from, from + Math.min(this.together, documents.size() - from));
			try {
				for (Refusal one : uploadTogether(some, end)) {
					refusals.add(new Refusal(from + one.index(), one.reason()));
				}
				from += some.size();
				end = end();
				this.together = (int) Math.min(Integer.MAX_VALUE, this.together + this.together / 8L + 1);
			}
			catch (SlowException ex) {
				this.together = some.size() / 2;
				this.waits.accept("%s: no answer to %d documents within %d s; trying with %d".formatted(this.address,
						some.size(), this.timeout.toSeconds(), this.together));
			}
		}
		return refusals;
	}

	private long end() {
		return System.nanoTime() + this.patience.toNanos();
	}

	private List<Refusal> uploadTogether(List<byte[]> documents, long end) throws IOException, InterruptedException {
		ByteArrayOutputStream body = new ByteArrayOutputStream();
		for (byte[] document : documents) {
			body.write(document);
			body.write('\n');
		}
		HttpRequest request = request(this.address).header("Content-Type", "application/x-ndjson")
			.header("Prefer", "return=minimal")
			.POST(BodyPublishers.ofByteArray(body.toByteArray()))
			.build();
		List<Refusal> refusals = new ArrayList<>();
		patiently(request, end, documents.size() > 1, (answer) -> {
			refusals.clear();
			return answer.statusCode() == 200 && isWhole(answer.body(), documents.size(), refusals);
		});
		return refusals;
	}

	/**
	 * Deletes a document up to a version, and returns once the pair has the deletion.
	 * @throws IOException where it does not take it within the patience
	 */
	void delete(String id, Instant version) throws IOException, InterruptedException {
		URI uri = URI.create("%s?id=%s&version=%s".formatted(this.address, encoded(id), encoded(version.toString())));
		patiently(request(uri).DELETE().build(), end(), false, (answer) -> answer.statusCode() == 202);
	}

	private static String encoded(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
	}

	private HttpRequest.Builder request(URI uri) {
		HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(this.timeout);
		return (this.key != null) ? request.header("Authorization", "Bearer " + this.key) : request;
	}

	/**
	 * Reads the outcomes of an upload: those of lines that were refused, and the counts.
	 */
	private static boolean isWhole(String body, int documents, List<Refusal> refusals) {
		boolean isWhole = false;
		try {
			for (String line : body.lines().toList()) {
				JsonNode outcome = JSON.readTree(line);
				if (outcome.has("lines")) {
					isWhole = outcome.get("lines").asInt() == documents;
				}
				else if (LATER.contains(outcome.path("status").asInt())) {
					return false;
				}
				else {
					refusals.add(new Refusal(outcome.path("line").asInt() - 1, reason(outcome)));
				}
			}
			return isWhole;
		}
		catch (JacksonException ex) {
			// it broke off
			return false;
		}
	}

	/** The words of the pair, and the first rule that is broken. */
	private static String reason(JsonNode problem) {
		JsonNode rule = problem.path("errors").path(0);
		String detail = problem.path("detail").asString("without a reason");
		return rule.isMissingNode() ? detail
				: "%s: %s %s".formatted(detail, rule.path("pointer").asString(""), rule.path("detail").asString(""));
	}

	/** Also bounds the time of the body, which a timeout of the client does not. */
	private HttpResponse<String> answer(HttpRequest request) throws IOException, InterruptedException {
		CompletableFuture<HttpResponse<String>> answer = this.http.sendAsync(request, BodyHandlers.ofString());
		try {
			return answer.get(2 * this.timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			throw new HttpTimeoutException("The answer takes too long");
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof IOException io) ? io : new IOException(ex.getCause());
		}
		finally {
			answer.cancel(true);
		}
	}

	/**
	 * Tries until an answer ends the request.
	 * @param end of the patience, as {@link System#nanoTime}
	 * @param mayBeLess whether a part of the request is worth a try where all of it takes
	 * too long
	 */
	private void patiently(HttpRequest request, long end, boolean mayBeLess, Check check)
			throws IOException, InterruptedException {
		Duration pause = FIRST_PAUSE;
		while (true) {
			String failure;
			try {
				HttpResponse<String> answer = answer(request);
				if (check.isDone(answer)) {
					return;
				}
				int status = answer.statusCode();
				failure = "%s: status %d".formatted(this.address, status);
				if (status != 200 && !LATER.contains(status)) {
					throw new RefusedException("%s, %s%s".formatted(failure, detail(answer.body()), advice(status)));
				}
			}
			catch (RefusedException ex) {
				throw ex;
			}
			catch (IOException ex) {
				if (mayBeLess && isSlow(ex) && System.nanoTime() - end <= 0) {
					throw new SlowException(ex);
				}
				failure = "%s: no answer (%s)".formatted(this.address, ex.getClass().getSimpleName());
			}
			if (System.nanoTime() - end > 0) {
				throw new IOException("%s, for %d s".formatted(failure, this.patience.toSeconds()));
			}
			if (pause.equals(FIRST_PAUSE)) {
				this.waits.accept("%s; trying again for %d s".formatted(failure, this.patience.toSeconds()));
			}
			Thread.sleep(pause);
			pause = Stream.of(pause.multipliedBy(2), LONGEST_PAUSE).min(Duration::compareTo).orElseThrow();
		}
	}

	/** Whether the pair was there, and took its time. */
	private static boolean isSlow(IOException failure) {
		return failure instanceof HttpTimeoutException && !(failure instanceof HttpConnectTimeoutException);
	}

	private static String advice(int status) {
		return switch (status) {
			case 401 -> " JOBS_KEY has to be a key of the pair.";
			case 404 -> " Does the pair carry postings? JOBS_RESOURCES=examples/postings/resources.yaml ./run does.";
			default -> "";
		};
	}

	private static String detail(String body) {
		try {
			return reason(JSON.readTree(body));
		}
		catch (JacksonException ex) {
			return "without a reason";
		}
	}

	/** Whether an answer ends a request. */
	@FunctionalInterface
	private interface Check {

		/** Returns whether nothing is left to do. */
		boolean isDone(HttpResponse<String> answer);

	}

	/** No document of this kind is taken, however often it is sent. */
	private static final class RefusedException extends IOException {

		RefusedException(String message) {
			super(message);
		}

	}

	/** The answer to several documents takes too long. */
	private static final class SlowException extends IOException {

		SlowException(IOException cause) {
			super(cause);
		}

	}

	/**
	 * A document that the pair refuses.
	 *
	 * @param index of the document among those that were sent
	 * @param reason the words of the pair
	 */
	record Refusal(int index, String reason) {
	}

}
