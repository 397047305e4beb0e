import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;

/** One job, a resumable upload with its progress, and the wait until a job is stored. */
class Jobs {

	static final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build();

	static final URI jobs = URI.create(System.getenv().getOrDefault("REST_TO_KAFKA", "http://localhost:9090") + "/jobs");

	static final String key = System.getenv().getOrDefault("JOBS_KEY", "");

	public static void main(String[] args) throws Exception {
		if (args.length != 1 || !Files.isReadable(Path.of(args[0]))) {
			System.err.println("give a file to upload, one job a line");
			System.exit(1);
		}
		String id = UUID.randomUUID().toString();
		HttpResponse<String> accepted = again(() -> require(202, http.send(request(jobs)
			.timeout(Duration.ofSeconds(10))
			.header("Content-Type", "application/json")
			.header("Idempotency-Key", id)
			.POST(BodyPublishers.ofString("""
					{"title": "Engineer", "company": "Acme"}"""))
			.build(), BodyHandlers.ofString())));
		URI location = URI.create(accepted.headers().firstValue("Location").orElseThrow());
		System.out.println("accepted: " + location);

		HttpResponse<String> stored = http.send(request(location)
			.timeout(Duration.ofSeconds(30))
			.header("Prefer", "wait=20")
			.build(), BodyHandlers.ofString());
		System.out.println((stored.statusCode() == 404) ? "not stored yet: ask again later" : "stored: " + require(200, stored).body());

		upload(Path.of(args[0]), "upload-" + id);
	}

	/** With an API key or a token, where security is on. */
	static HttpRequest.Builder request(URI address) {
		HttpRequest.Builder request = HttpRequest.newBuilder(address);
		return key.isEmpty() ? request : request.header("Authorization", "Bearer " + key);
	}

	/** Sends the file in parts, so that an upload which broke off goes on with the part that it broke off in. */
	static void upload(Path file, String upload) throws Exception {
		long accepted = 0;
		long refused = 0;
		long sent = 0;
		try (BufferedReader all = Files.newBufferedReader(file)) {
			for (List<String> part = next(all); !part.isEmpty(); part = next(all)) {
				List<String> lines = part;
				String partKey = upload + "-" + sent;
				List<String> outcomes = again(() -> send(lines, partKey));
				for (String outcome : outcomes.subList(0, outcomes.size() - 1)) {
					System.out.println("after line " + sent + ": " + outcome);
					refused++;
				}
				sent += lines.size();
				accepted += Long.parseLong(last(outcomes).replaceAll(".*\"accepted\":(\\d+).*", "$1"));
				System.err.println(sent + " lines");
			}
		}
		System.out.println(accepted + " accepted, " + refused + " refused");
	}

	/** The next lines of the file, none at its end. */
	static List<String> next(BufferedReader all) throws IOException {
		List<String> part = new ArrayList<>();
		for (String line = ""; part.size() < 2000 && (line = all.readLine()) != null;) {
			part.add(line);
		}
		return part;
	}

	static String last(List<String> lines) {
		return lines.get(lines.size() - 1);
	}

	/** Returns the outcomes of refused lines and the counts, since the client reads nothing before it has sent everything. */
	static List<String> send(List<String> lines, String partKey) throws Exception {
		HttpResponse<String> answer = http.send(request(jobs)
			.timeout(Duration.ofSeconds(60))
			.header("Content-Type", "application/x-ndjson")
			.header("Idempotency-Key", partKey)
			.header("Prefer", "return=minimal")
			.POST(BodyPublishers.ofString(String.join("\n", lines) + "\n"))
			.build(), BodyHandlers.ofString());
		List<String> outcomes = require(200, answer).body().lines().toList();
		if (!last(outcomes).contains("\"lines\":%d,".formatted(lines.size()))
				|| outcomes.stream().anyMatch((outcome) -> outcome.matches(".*\"status\":(408|503).*"))) {
			throw new IOException("The upload broke off: " + outcomes);
		}
		return outcomes;
	}

	static <T> HttpResponse<T> require(int status, HttpResponse<T> answer) throws IOException {
		if (answer.statusCode() != status) {
			throw new Refusal(answer.statusCode() + " " + answer.body(), answer.statusCode(),
					answer.headers().firstValueAsLong("Retry-After").orElse(1));
		}
		return answer;
	}

	static class Refusal extends IOException {

		private static final long serialVersionUID = 1;

		final boolean isTemporary;

		final long retryAfter;

		Refusal(String message, int status, long retryAfter) {
			super(message);
			this.isTemporary = (status == 408 || status == 429 || status == 503);
			this.retryAfter = retryAfter;
		}

	}

	/** A key makes it safe to try again whatever went wrong. */
	static <T> T again(Callable<T> action) throws Exception {
		for (int attempt = 1;; attempt++) {
			try {
				return action.call();
			}
			catch (IOException ex) {
				if (attempt == 5 || ex instanceof Refusal refusal && !refusal.isTemporary) {
					throw ex;
				}
				Thread.sleep(1000 * ((ex instanceof Refusal refusal) ? refusal.retryAfter : attempt));
			}
		}
	}

}
