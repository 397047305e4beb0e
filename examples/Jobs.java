import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

// One job, a resumable upload with its progress, and the wait until a job is stored.
final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build();

final URI jobs = URI.create(System.getenv().getOrDefault("REST_TO_KAFKA", "http://localhost:9090") + "/jobs");

void main(String[] args) throws Exception {
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
	IO.println("stored: " + require(200, stored).body());

	again(() -> upload(Path.of(args[0]), "upload-" + key));
}

/** The same key again continues where it broke off: every line keeps its id. */
String upload(Path file, String key) throws Exception {
	HttpResponse<Stream<String>> answer = http.send(HttpRequest.newBuilder(jobs)
		.header("Content-Type", "application/x-ndjson")
		.header("Idempotency-Key", key)
		.POST(BodyPublishers.ofFile(file))
		.build(), BodyHandlers.ofLines());
	long accepted = 0;
	long refused = 0;
	boolean broken = answer.statusCode() != 200;
	try (Stream<String> outcomes = answer.body()) {
		for (String outcome : (Iterable<String>) outcomes::iterator) {
			if (outcome.contains("\"status\":202")) {
				accepted++;
			}
			else {
				refused++;
				broken |= outcome.matches(".*\"status\":(408|503).*");
				IO.println(outcome);
			}
			if ((accepted + refused) % 1000 == 0) {
				System.err.print("\r" + (accepted + refused) + " lines");
			}
		}
	}
	if (broken) {
		throw new java.io.IOException("The upload broke off");
	}
	IO.println("\r" + accepted + " accepted, " + refused + " refused");
	return key;
}

<T> HttpResponse<T> require(int status, HttpResponse<T> answer) throws java.io.IOException {
	if (answer.statusCode() != status) {
		throw new java.io.IOException(answer.statusCode() + " " + answer.body());
	}
	return answer;
}

/** A key makes it safe to try again whatever went wrong. */
<T> T again(Callable<T> action) throws Exception {
	for (int attempt = 1;; attempt++) {
		try {
			return action.call();
		}
		catch (java.io.IOException ex) {
			if (attempt == 5) {
				throw ex;
			}
			Thread.sleep(Duration.ofSeconds(attempt));
		}
	}
}
