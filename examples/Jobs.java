import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.stream.Stream;

// One job, a resumable upload with its progress, and the wait until a job is stored.
final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build();

final URI jobs = URI.create(System.getenv().getOrDefault("REST_TO_KAFKA", "http://localhost:9090") + "/jobs");

void main(String[] args) throws Exception {
	if (args.length != 1 || !Files.isReadable(Path.of(args[0]))) {
		System.err.println("give a file to upload, one job a line");
		System.exit(1);
	}
	String key = UUID.randomUUID().toString();
	HttpResponse<String> accepted = again(() -> require(202, http.send(HttpRequest.newBuilder(jobs)
		.timeout(Duration.ofSeconds(10))
		.header("Content-Type", "application/json")
		.header("Idempotency-Key", key)
		.POST(BodyPublishers.ofString("""
				{"title": "Engineer", "company": "Acme"}"""))
		.build(), BodyHandlers.ofString())));
	URI location = URI.create(accepted.headers().firstValue("Location").orElseThrow());
	IO.println("accepted: " + location);

	HttpResponse<String> stored = http.send(HttpRequest.newBuilder(location)
		.timeout(Duration.ofSeconds(30))
		.header("Prefer", "wait=20")
		.build(), BodyHandlers.ofString());
	IO.println((stored.statusCode() == 404) ? "not stored yet: ask again later" : "stored: " + require(200, stored).body());

	upload(Path.of(args[0]), "upload-" + key);
}

/** Sends the file in parts, so that an upload which broke off goes on with the part that it broke off in. */
void upload(Path file, String key) throws Exception {
	long accepted = 0;
	long refused = 0;
	long lines = 0;
	try (Stream<String> all = Files.lines(file)) {
		for (List<String> part : (Iterable<List<String>>) all.gather(Gatherers.windowFixed(2000))::iterator) {
			String partKey = key + "-" + lines;
			List<String> outcomes = again(() -> send(part, partKey));
			for (String outcome : outcomes.subList(0, outcomes.size() - 1)) {
				IO.println("after line " + lines + ": " + outcome);
				refused++;
			}
			lines += part.size();
			accepted += Long.parseLong(outcomes.getLast().replaceAll(".*\"accepted\":(\\d+).*", "$1"));
			System.err.println(lines + " lines");
		}
	}
	IO.println(accepted + " accepted, " + refused + " refused");
}

/** Returns the outcomes of refused lines and the counts, since the client reads nothing before it has sent everything. */
List<String> send(List<String> lines, String key) throws Exception {
	HttpResponse<String> answer = http.send(HttpRequest.newBuilder(jobs)
		.timeout(Duration.ofSeconds(60))
		.header("Content-Type", "application/x-ndjson")
		.header("Idempotency-Key", key)
		.header("Prefer", "return=minimal")
		.POST(BodyPublishers.ofString(String.join("\n", lines) + "\n"))
		.build(), BodyHandlers.ofString());
	List<String> outcomes = require(200, answer).body().lines().toList();
	if (!outcomes.getLast().contains("\"lines\":%d,".formatted(lines.size()))
			|| outcomes.stream().anyMatch((outcome) -> outcome.matches(".*\"status\":(408|503).*"))) {
		throw new IOException("The upload broke off: " + outcomes);
	}
	return outcomes;
}

<T> HttpResponse<T> require(int status, HttpResponse<T> answer) throws IOException {
	if (answer.statusCode() != status) {
		throw new Refusal(answer.statusCode() + " " + answer.body(), answer.statusCode(),
				answer.headers().firstValueAsLong("Retry-After").orElse(1));
	}
	return answer;
}

class Refusal extends IOException {

	final boolean isTemporary;

	final long retryAfter;

	Refusal(String message, int status, long retryAfter) {
		super(message);
		this.isTemporary = (status == 408 || status == 429 || status == 503);
		this.retryAfter = retryAfter;
	}

}

/** A key makes it safe to try again whatever went wrong. */
<T> T again(Callable<T> action) throws Exception {
	for (int attempt = 1;; attempt++) {
		try {
			return action.call();
		}
		catch (IOException ex) {
			if (attempt == 5 || ex instanceof Refusal refusal && !refusal.isTemporary) {
				throw ex;
			}
			Thread.sleep(Duration.ofSeconds((ex instanceof Refusal refusal) ? refusal.retryAfter : attempt));
		}
	}
}
