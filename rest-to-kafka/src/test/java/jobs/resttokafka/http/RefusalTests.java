package jobs.resttokafka.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import jobs.testkit.BodyFirstClient;
import jobs.testkit.HostilePaths;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is refused while there is no Kafka at all: everything, each for its own reason.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.kafka.bootstrap-servers=127.0.0.1:1", "rest-to-kafka.body-timeout=500ms",
				"server.tomcat.connection-timeout=700ms", "rest-to-kafka.max-in-flight=400KB" })
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusalTests extends HttpTestBase {

	/** With it, an answer is known to be complete. */
	private static final String LAST_CHUNK = "\r\n0\r\n\r\n";

	private static final String JOB = "{\"title\":\"Engineer\"}";

	@Test
	void answers503Within3SecondsWithoutKafka() throws Exception {
		long start = System.nanoTime();

		HttpResponse<String> answer = send(post(JOB));

		assertProblem(answer, 503);
		assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
	}

	@Test
	void refusesAWholeUploadWithoutKafka() throws Exception {
		HttpResponse<String> answer = send(
				post("nonsense\n" + JOB + "\n" + JOB).setHeader("Content-Type", "application/x-ndjson")
					.header("Prefer", "return=minimal"));

		assertProblem(answer, 503);
		assertThat(answer.headers().firstValue("Preference-Applied")).isEmpty();
		assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
		assertThat(json(answer).get("detail").asString()).startsWith("Line 2: Kafka");
	}

	@Test
	void answersEveryLineThatIsNoJob() throws Exception {
		HttpResponse<String> answer = send(
				post("nonsense\n\n{\"title\":7}").setHeader("Content-Type", "application/x-ndjson"));

		assertThat(answer.statusCode()).isEqualTo(200);
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/x-ndjson");
		assertThat(answer.body().lines()).satisfiesExactly(
				(line) -> assertThat(line).startsWith("{\"line\":1,\"status\":400,\"detail\":\""),
				(line) -> assertThat(line).startsWith("{\"line\":2,\"status\":400,\"detail\":\""),
				(line) -> assertThat(line).startsWith("{\"line\":3,\"status\":400,\"detail\":\"")
					.endsWith("\"errors\":[{\"pointer\":\"/title\",\"detail\":\"integer found, string expected\"}]}"));
	}

	@Test
	void answers400WithAPointerForEveryBrokenRule() throws Exception {
		HttpResponse<String> answer = send(post("{\"company\":1}"));

		assertProblem(answer, 400);
		assertThat(json(answer).get("errors").findValuesAsString("pointer")).containsExactlyInAnyOrder("/title",
				"/company");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "null", "[]", "{", "{\"title\":\"a\",\"title\":\"b\"}" })
	void answers400(String body) throws Exception {
		assertProblem(send(post(body)), 400);
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "PUT", "DELETE", "PATCH", "TRACE" })
	void answers405WithAllow(String method) throws Exception {
		HttpResponse<String> answer = send(post(JOB).method(method, BodyPublishers.noBody()));

		assertProblem(answer, 405);
		assertThat(answer.headers().firstValue("Allow"))
			.hasValueSatisfying((allow) -> assertThat(allow.split(", ?")).containsExactlyInAnyOrder("POST", "OPTIONS"));
	}

	@Test
	void tellsItsMethodsToWhoeverAsks() throws Exception {
		HttpResponse<String> answer = send(
				HttpRequest.newBuilder(uri("/jobs")).method("OPTIONS", BodyPublishers.noBody()));

		assertThat(answer.statusCode()).isEqualTo(200);
		assertThat(answer.headers().firstValue("Allow")).hasValue("POST,OPTIONS");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "text/plain", "application/xml", "garbage", "application/json; charset=iso-8859-1", "*/*" })
	void answers415WithAccept(String type) throws Exception {
		HttpResponse<String> answer = send(post(JOB).setHeader("Content-Type", type));

		assertProblem(answer, 415);
		assertThat(answer.headers().firstValue("Accept")).hasValue("application/json, application/x-ndjson");
	}

	@Test
	void answers415WithoutAContentType() throws Exception {
		assertProblem(send(HttpRequest.newBuilder(uri("/jobs")).POST(BodyPublishers.ofString(JOB))), 415);
	}

	@Test
	void answers415ToASecondContentTypeOrContentEncoding() throws Exception {
		assertProblem(send(post(JOB).header("Content-Type", "application/x-ndjson")), 415);
		assertProblem(send(post(JOB).header("Content-Encoding", "identity").header("Content-Encoding", "gzip")), 415);
	}

	@Test
	void answers415ToAContentEncoding() throws Exception {
		HttpResponse<String> answer = send(post(JOB).header("Content-Encoding", "gzip"));

		assertProblem(answer, 415);
		assertThat(answer.headers().firstValue("Accept-Encoding")).hasValue("identity");
	}

	@ParameterizedTest
	@ValueSource(strings = { "text/html", "application/json;q=0", "*/*, application/json;q=0", "garbage" })
	void answers406(String accept) throws Exception {
		assertProblem(send(post(JOB).header("Accept", accept)), 406);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/nope", "/jobs/1", "/jobs/", "/error" })
	void answers404(String path) throws Exception {
		assertProblem(send(HttpRequest.newBuilder(uri(path))), 404);
	}

	@ParameterizedTest
	@ValueSource(strings = { " ", "ü", "x\ty" })
	void answers400ToABadIdempotencyKey(String key) throws Exception {
		assertThat(exchange("POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nIdempotency-Key: "
				+ key + "\r\nContent-Length: 2\r\n\r\n{}"))
			.startsWith("HTTP/1.1 400")
			.contains("application/problem+json");
	}

	@Test
	void answers400ToAnIdempotencyKeyThatIsTooLongOrGivenTwice() throws Exception {
		assertProblem(send(post(JOB).header("Idempotency-Key", "x".repeat(256))), 400);
		assertProblem(send(post(JOB).header("Idempotency-Key", "x").header("Idempotency-Key", "y")), 400);
	}

	@Test
	void answers413ToAByteTooMuch() throws Exception {
		String limit = "{\"title\":\"" + "x".repeat(256 * 1024 - 12) + "\"}";

		assertProblem(send(post(limit)), 503);
		assertProblem(send(post(limit + " ")), 413);
	}

	@Test
	void answers413ToAnAnnouncedGiantWithoutReadingIt() throws Exception {
		assertThat(exchange("POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
				+ "Content-Length: 2000000000\r\n\r\n{"))
			.startsWith("HTTP/1.1 413")
			.contains("application/problem+json");
	}

	@Test
	void answers413ToChunksWithoutEnd() throws Exception {
		String chunk = "10000\r\n" + "x".repeat(65536) + "\r\n";

		assertThat(exchange("POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
				+ "Transfer-Encoding: chunked\r\n\r\n" + chunk.repeat(5)))
			.startsWith("HTTP/1.1 413");
	}

	@Test
	void answers400ToLongTrailers() throws Exception {
		String body = "d\r\n{\"title\":\"a\"}\r\n0\r\nX-Trailer: %s\r\n\r\n".formatted("x".repeat(2000));

		assertThat(exchange("POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
				+ "Transfer-Encoding: chunked\r\n\r\n" + body))
			.startsWith("HTTP/1.1 400");
	}

	/**
	 * Most clients look at the answer only then, and lose it with a connection that was
	 * closed before.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "415 text/plain", "413 application/json", "503 application/x-ndjson" })
	void answersAClientThatSendsAllFirst(String statusAndType) throws Exception {
		String answer = BodyFirstClient.exchange(this.port,
				"POST /jobs HTTP/1.1\r\nContent-Type: " + statusAndType.substring(4) + "\r\n", JOB + "\n", 36_000_000);

		assertThat(answer).startsWith("HTTP/1.1 " + statusAndType.substring(0, 3)).contains("application/problem+json");
		assertThat(answer.contains("\r\nRetry-After: 1\r\n")).isEqualTo(statusAndType.startsWith("503"));
	}

	@Test
	void asksNoClientForABodyThatItRefuses() throws Exception {
		assertThat(exchange("POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n"
				+ "Expect: 100-continue\r\nContent-Length: 20\r\n\r\n"))
			.startsWith("HTTP/1.1 415")
			.contains("Connection: close");
	}

	@Test
	void answers408ToABodyThatDoesNotArrive() throws Exception {
		assertThat(exchange("POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
				+ "Content-Length: 20\r\n\r\n{\"title\""))
			.startsWith("HTTP/1.1 408")
			.contains("application/problem+json")
			.contains("The job did not arrive within 500 ms");
	}

	@Test
	void answers408ToALineThatDoesNotArrive() throws Exception {
		assertThat(exchange("POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\n"
				+ "Content-Length: 20\r\n\r\nnonsense\n{"))
			.startsWith("HTTP/1.1 200")
			.contains("{\"line\":2,\"status\":408,")
			.endsWith(LAST_CHUNK);
	}

	@Test
	void countsTheLinesBeforeOneThatDoesNotArrive() throws Exception {
		assertThat(exchange("POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\n"
				+ "Prefer: return=minimal\r\nContent-Length: 20\r\n\r\nnonsense\n{"))
			.containsSubsequence("{\"line\":2,\"status\":408,", "send this line and all after it again",
					"{\"lines\":2,\"accepted\":0,\"refused\":2}")
			.endsWith(LAST_CHUNK);
	}

	/** Nobody should send again, line by line, what is too large to arrive in time. */
	@Test
	void answers413ToALineThatIsTooLargeForItsTime() throws Exception {
		try (Socket socket = new Socket("127.0.0.1", this.port)) {
			socket.setSoTimeout(10_000);
			write(socket, "POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\n"
					+ "Connection: close\r\nContent-Length: 1800009\r\n\r\n");
			for (int i = 0; i < 6; i++) {
				write(socket, "x".repeat(300_000));
				Thread.sleep(200);
			}
			write(socket, "\nnonsense");

			assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
				.contains("{\"line\":1,\"status\":413,\"detail\":\"A job may have 262144 bytes, and this line goes on: "
						+ "send all after this line again\"}");
		}
	}

	@Test
	void answers503WhileTooMuchIsInFlight() throws Exception {
		String start = "POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
				+ "Content-Length: 260000\r\n\r\n" + " ".repeat(250_000);
		// once the first has been read that far, and before it is too slow
		Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> {
			try (Socket first = new Socket("127.0.0.1", this.port)) {
				write(first, start);
				Thread.sleep(100);
				HttpResponse<String> answer = send(post("x".repeat(100_000)));
				assertProblem(answer, 503);
				assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
			}
		});
		Awaitility.await()
			.atMost(10, TimeUnit.SECONDS)
			.untilAsserted(() -> assertProblem(send(post("x".repeat(100_000))), 400));
	}

	@ParameterizedTest
	@ValueSource(strings = { "GARBAGE\r\n\r\n", "GET /%2f HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
			"GET /../etc HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a|b HTTP/1.1\r\nHost: a\r\n\r\n" })
	void answersTomcatsOwnErrorsAsProblems(String request) throws Exception {
		assertThat(exchange(request)).startsWith("HTTP/1.1 400")
			.contains("application/problem+json")
			.contains("{\"title\":\"Bad Request\",\"status\":400,\"detail\":\"")
			.doesNotContain("apache");
	}

	@Test
	void isAliveButNotReady() throws Exception {
		assertThat(send(HttpRequest.newBuilder(uri("/actuator/health/liveness"))).statusCode()).isEqualTo(200);
		Awaitility.await()
			.atMost(10, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(
					json(send(HttpRequest.newBuilder(uri("/actuator/health/readiness")))).at("/components/kafka/status")
						.asString())
				.isEqualTo("DOWN"));
		assertThat(send(HttpRequest.newBuilder(uri("/actuator/health/readiness"))).statusCode()).isEqualTo(503);
	}

	private static void assertProblem(HttpResponse<String> answer, int status) {
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(json(answer).get("status").asInt()).isEqualTo(status);
		assertThat(answer.body()).doesNotContain("Exception").doesNotContain("org.").doesNotContain("jobs.rest");
	}

	private static JsonNode json(HttpResponse<String> answer) {
		return new JsonMapper().readTree(answer.body());
	}

	/**
	 * Sends bytes as they are, and reads until the server closes or is silent.
	 */
	private String exchange(String request) throws IOException {
		try (Socket socket = new Socket("127.0.0.1", this.port)) {
			socket.setSoTimeout(20_000);
			write(socket, request);
			StringBuilder answer = new StringBuilder();
			try {
				for (int next = socket.getInputStream().read(); next >= 0; next = socket.getInputStream().read()) {
					answer.append((char) next);
				}
			}
			catch (IOException ex) {
				// the connection was reset or is silent: the answer is what came before
			}
			return answer.toString();
		}
	}

	private static void write(Socket socket, String request) throws IOException {
		OutputStream out = socket.getOutputStream();
		out.write(request.getBytes(StandardCharsets.UTF_8));
		out.flush();
	}

	/**
	 * Each would be some kilobytes of a trace in the log, for whoever likes to fill it.
	 */
	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void answersNoPathWithAFaultOfItsOwn(CapturedOutput output) throws Exception {
		for (String path : HostilePaths
			.of("/actuator/health", "/actuator/health/readiness", "/actuator/prometheus", "/actuator/topics",
					"/actuator", "/docs", "/jobs", "")
			.toList()) {
			for (String method : List.of("GET", "POST", "DELETE", "OPTIONS", "HEAD")) {
				assertThat(HostilePaths.statusLine(this.port, method, path)).as("%s %s", method, path)
					.startsWith("HTTP/1.1 ")
					.doesNotContain(" 500");
			}
		}
		assertThat(output.getAll()).doesNotContain("\tat ");
	}

}
