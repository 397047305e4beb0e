package jobs.endtoend.flow;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import jobs.endtoend.pair.Pair;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pair with security on, and a key for each role, as {@code ./run keys} makes them.
 */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SecuredTests {

	private static final String JOB = "{\"title\":\"Engineer\",\"description\":\"Builds it\",\"company\":\"Acme\"}";

	private static final List<String> ROLES = List.of("jobs:write", "jobs:read", "jobs:erase", "dead-letters:read",
			"dead-letters:operate", "operations:read", "operations:write");

	private static final Map<String, String> KEYS = new HashMap<>();

	@TempDir
	private static Path folder;

	private static Pair pair;

	private final HttpClient client = HttpClient.newHttpClient();

	@BeforeAll
	static void start() throws Exception {
		for (String role : ROLES) {
			KEYS.put(role, keys("create", role.replace(':', '-'), "--role", role).strip());
		}
		pair = new Pair(Map.of("JOBS_SECURITY_ENABLED", "true", "JOBS_SECURITY_KEYS_FILE", file().toString()));
		pair.start();
	}

	@AfterAll
	static void stop() {
		pair.close();
	}

	@Test
	void storesTheJobOfWhoMayWriteAndShowsItToWhoMayRead() throws Exception {
		HttpResponse<String> accepted = send("POST", pair.port, "/jobs", KEYS.get("jobs:write"));
		assertThat(accepted.statusCode()).isEqualTo(202);
		URI location = URI.create(accepted.headers().firstValue("Location").orElseThrow());

		Awaitility.await()
			.atMost(20, TimeUnit.SECONDS)
			.until(() -> send("GET", pair.readPort, location.getPath(), KEYS.get("jobs:read")).statusCode() == 200);
		assertThat(send("GET", pair.readPort, location.getPath(), KEYS.get("jobs:write")).statusCode()).isEqualTo(403);
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '`', value = { "POST, write, /jobs, jobs:write", "PUT, write, /jobs, jobs:write",
			"GET, write, /actuator/prometheus, operations:read", "GET, write, /actuator/info, operations:read",
			"GET, write, /actuator/sbom/application, operations:read",
			"POST, write, /actuator/topics, operations:write", "GET, write, /actuator/health,",
			"GET, write, /actuator/health/readiness,", "GET, write, /openapi.yaml,", "GET, write, /docs/index.html,",
			"GET, write, /,", "GET, write, /docs,", "GET, write, /docs/service.js,", "GET, read, /docs/service.js,",
			"GET, read, /jobs, jobs:read", "HEAD, read, /jobs/events, jobs:read", "HEAD, read, /jobs/1, jobs:read",
			"GET, read, /jobs/a%2Fb, jobs:read", "DELETE, read, /jobs/erased, jobs:erase",
			"DELETE, read, /jobs?id=erased, jobs:erase", "GET, read, /dead-letters, dead-letters:read",
			"GET, read, /dead-letters/1, dead-letters:read", "HEAD, read, /dead-letters/1, dead-letters:read",
			"DELETE, read, /dead-letters/1, dead-letters:operate",
			"POST, read, /dead-letters/1/replay, dead-letters:operate",
			"POST, read, /dead-letters/replay?dry-run=true, dead-letters:operate",
			"HEAD, read, /console/events, operations:read", "GET, read, /actuator/prometheus, operations:read",
			"POST, read, /actuator/topics, operations:write", "GET, read, /actuator/health/liveness,", "GET, read, /,",
			"GET, read, /console.js,", "GET, read, /uPlot.min.css,", "GET, read, /openapi.yaml," })
	void asksForTheRoleOfEachEndpoint(String method, String service, String path, String role) throws Exception {
		int port = service.equals("write") ? pair.port : pair.readPort;

		assertThat(send(method, port, path, null).statusCode() == 401).isEqualTo(role != null);
		for (Map.Entry<String, String> key : KEYS.entrySet()) {
			int status = send(method, port, path, key.getValue()).statusCode();

			assertThat(status == 403).as("%s with %s: %d", path, key.getKey(), status)
				.isEqualTo(role != null && !role.equals(key.getKey()));
			assertThat(status).isNotIn(401, 500);
		}
	}

	/** Tomcat finds the servlet that takes jobs by another path than the rules see. */
	@ParameterizedTest
	@ValueSource(strings = { "/docs/%2e%2e/jobs", "/docs/..;/jobs", "/actuator/health/%2e%2e/%2e%2e/jobs", "//jobs",
			"/jobs;a", "/%6aobs" })
	void takesNoJobByAnotherPath(String path) throws Exception {
		assertThat(send("POST", pair.port, path, null).statusCode()).isNotEqualTo(202);
		assertThat(send("POST", pair.port, path, KEYS.get("operations:read")).statusCode()).isNotEqualTo(202);
	}

	/** An upload may go on for ever. */
	@Test
	void endsAnUploadWhoseKeyIsRevoked() throws Exception {
		String key = writer("uploader");
		try (Socket socket = new Socket("127.0.0.1", pair.port)) {
			socket.setSoTimeout(30_000);
			OutputStream out = socket.getOutputStream();
			out.write(("POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
					+ "Authorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\n".formatted(key))
				.getBytes(StandardCharsets.US_ASCII));
			BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
			sendLine(out);
			awaitLine(in, "\"status\":202");

			keys("revoke", "uploader");
			Thread.startVirtualThread(() -> {
				while (!socket.isClosed()) {
					sendLine(out);
				}
			});

			awaitLine(in, "\"status\":401");
		}
	}

	private static void sendLine(OutputStream out) {
		try {
			out.write("%x\r\n%s\n\r\n".formatted(JOB.length() + 1, JOB).getBytes(StandardCharsets.US_ASCII));
			Thread.sleep(50);
		}
		catch (IOException | InterruptedException ex) {
			// the upload has ended
		}
	}

	private static void awaitLine(BufferedReader in, String text) throws IOException {
		String line = in.readLine();
		while (line != null && !line.contains(text)) {
			line = in.readLine();
		}
		assertThat(line).contains(text);
	}

	@Test
	void letsAClientWaitThatSendsMoreThanItMay() throws Exception {
		String key = writer("greedy", "--bytes-per-second", "1");

		HttpResponse<String> refused = send("POST", pair.port, "/jobs", key);

		assertThat(refused.statusCode()).isEqualTo(429);
		assertThat(Integer.parseInt(refused.headers().firstValue("Retry-After").orElseThrow())).isBetween(1,
				JOB.length());
		assertThat(refused.body()).contains("\"status\":429");
		assertThat(send("POST", pair.port, "/jobs", KEYS.get("jobs:write")).statusCode()).isEqualTo(202);
		keys("revoke", "greedy");
	}

	@Test
	void countsTheJobsOfAClient() throws Exception {
		String key = keys("create", "frequent", "--role", "jobs:write", "--jobs-per-second", "1").strip();

		Awaitility.await()
			.atMost(20, TimeUnit.SECONDS)
			.pollInterval(1, TimeUnit.MILLISECONDS)
			.until(() -> send("POST", pair.port, "/jobs", key).statusCode() == 429);
		keys("revoke", "frequent");
	}

	/** One job after the other: each that comes up to 50 ms too early waits. */
	@Test
	void slowsAClientDownBeforeItRefuses() throws Exception {
		String key = writer("steady", "--jobs-per-second", "20");

		for (int i = 0; i < 40; i++) {
			assertThat(send("POST", pair.port, "/jobs", key).statusCode()).isEqualTo(202);
		}
		keys("revoke", "steady");
	}

	/** Two jobs with one Idempotency-Key: the second becomes a dead letter. */
	@Test
	void keepsWhoDiscardedADeadLetter() throws Exception {
		String key = UUID.randomUUID().toString();
		String list = "";
		for (String job : List.of(JOB, JOB.replace("Acme", "Other"))) {
			HttpRequest.Builder request = request(pair.port, "/jobs", KEYS.get("jobs:write"))
				.header("Content-Type", "application/json")
				.header("Idempotency-Key", key)
				.POST(BodyPublishers.ofString(job));
			HttpResponse<String> accepted = this.client.send(request.build(), BodyHandlers.ofString());
			assertThat(accepted.statusCode()).isEqualTo(202);
			list = accepted.headers().firstValue("Location").orElseThrow().replaceFirst(".*/", "/dead-letters?job=");
		}
		String deadLetters = list;
		Awaitility.await()
			.atMost(20, TimeUnit.SECONDS)
			.until(() -> send("GET", pair.readPort, deadLetters, KEYS.get("dead-letters:read")).body()
				.contains("conflict"));

		assertThat(send("DELETE", pair.readPort, deadLetters + "&note=sent%20twice", KEYS.get("dead-letters:operate"))
			.body()).contains("\"discarded\":1");

		assertThat(send("GET", pair.readPort, deadLetters, KEYS.get("dead-letters:read")).body())
			.contains("\"by\": \"dead-letters-operate\"", "\"address\": \"127.0.0.1\"", "\"note\": \"sent twice\"");
	}

	@Test
	void forgetsAKeyThatIsRevoked() throws Exception {
		String key = keys("create", "gone", "--role", "jobs:read", "--expires", "2099-12-31").strip();
		Awaitility.await()
			.atMost(10, TimeUnit.SECONDS)
			.until(() -> send("GET", pair.readPort, "/jobs", key).statusCode() == 200);
		assertThat(keys("list").lines()).hasSize(ROLES.size() + 1).last().asString().startsWith("gone,");

		keys("revoke", "gone");

		Awaitility.await()
			.atMost(10, TimeUnit.SECONDS)
			.until(() -> send("GET", pair.readPort, "/jobs", key).statusCode() == 401);
		assertThat(keys("list")).doesNotContain("gone");
	}

	private HttpResponse<String> send(String method, int port, String path, String key) throws Exception {
		HttpRequest.Builder request = request(port, path, key).method(method,
				(method.startsWith("P") && !path.endsWith("/replay")) ? BodyPublishers.ofString(JOB)
						: BodyPublishers.noBody());
		if (method.startsWith("P")) {
			request.header("Content-Type", "application/json");
		}
		return this.client.send(request.build(), BodyHandlers.ofString());
	}

	private static HttpRequest.Builder request(int port, String path, String key) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)));
		return (key != null) ? request.header("Authorization", "Bearer " + key) : request;
	}

	/** Makes a key that may write, and waits until the service takes a job with it. */
	private String writer(String name, String... options) throws Exception {
		List<String> arguments = new ArrayList<>(List.of("create", name, "--role", "jobs:write"));
		arguments.addAll(Arrays.asList(options));
		String key = keys(arguments.toArray(String[]::new)).strip();
		Awaitility.await()
			.atMost(10, TimeUnit.SECONDS)
			.until(() -> send("POST", pair.port, "/jobs", key).statusCode() == 202);
		return key;
	}

	private static Path file() {
		return folder.resolve("keys.ndjson").toAbsolutePath();
	}

	private static String keys(String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of("../run", "keys"));
		command.addAll(Arrays.asList(arguments));
		ProcessBuilder builder = new ProcessBuilder(command);
		builder.environment().put("JOBS_SECURITY_KEYS_FILE", file().toString());
		Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as("exit of %s", command).isZero();
		return output;
	}

}
