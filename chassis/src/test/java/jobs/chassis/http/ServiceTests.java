package jobs.chassis.http;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jobs.testkit.BodyFirstClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A service that has nothing but the chassis, and a bound of one request.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = {
		"spring.application.name=test", "spring.config.import=classpath:chassis.yml",
		"spring.kafka.bootstrap-servers=127.0.0.1:1", "server.tomcat.connection-timeout=1s",
		"management.endpoints.web.exposure.include=health, hold",
		"spring.autoconfigure.exclude=org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration" })
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServiceTests {

	private final HttpClient client = HttpClient.newHttpClient();

	@LocalServerPort
	private int port;

	@Test
	void answersTomcatsOwnErrorsAsProblems() throws IOException {
		assertThat(exchange("NONSENSE\r\n\r\n")).startsWith("HTTP/1.1 400").contains("application/problem+json");
	}

	@Test
	void answersWhatAControllerThrowsAsAProblemWithoutInternals() throws Exception {
		HttpResponse<String> answer = get("/broken");

		assertThat(answer.statusCode()).isEqualTo(500);
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(answer.body()).doesNotContain("secret").doesNotContain("Exception");
	}

	@Test
	void refusesARequestBeyondTheBoundAndLetsQuestionsAfterHealthThrough() throws Exception {
		CompletableFuture<HttpResponse<String>> first = this.client.sendAsync(request("/slow"),
				HttpResponse.BodyHandlers.ofString());
		assertThat(Service.entered.await(10, TimeUnit.SECONDS)).isTrue();

		HttpResponse<String> second = this.client.send(HttpRequest.newBuilder(request("/slow"), (name, value) -> true)
			.header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
			.build(), HttpResponse.BodyHandlers.ofString());
		HttpResponse<String> health = get("/actuator/health/liveness");
		String upload = BodyFirstClient.exchange(this.port, "POST /slow HTTP/1.1\r\n", "", 36_000_000);
		Service.leave.countDown();

		assertThat(second.statusCode()).isEqualTo(503);
		assertThat(second.headers().firstValue("Retry-After")).hasValue("1");
		assertThat(second.body()).contains("Too many requests at once").contains("0af7651916cd43dd8448eb211c80319c");
		assertThat(health.statusCode()).isEqualTo(200);
		assertThat(upload).startsWith("HTTP/1.1 503").contains("\r\nRetry-After: 1\r\n");
		assertThat(first.get(10, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
	}

	/** A handshake of TLS costs as much as many requests. */
	@Test
	void keepsAConnectionForAThousandRequests() throws IOException {
		try (Socket socket = new Socket("127.0.0.1", this.port)) {
			for (int i = 1; i < 1000; i++) {
				assertThat(headOfAnswer(socket)).startsWith("HTTP/1.1 200").doesNotContain("close");
			}

			assertThat(headOfAnswer(socket)).startsWith("HTTP/1.1 200").contains("\r\nConnection: close\r\n");
		}
	}

	private static String headOfAnswer(Socket socket) throws IOException {
		socket.getOutputStream()
			.write("HEAD /actuator/health/liveness HTTP/1.1\r\nHost: localhost\r\n\r\n"
				.getBytes(StandardCharsets.US_ASCII));
		StringBuilder head = new StringBuilder();
		while (head.indexOf("\r\n\r\n") < 0) {
			int next = socket.getInputStream().read();
			assertThat(next).isNotNegative();
			head.append((char) next);
		}
		return head.toString();
	}

	/**
	 * As many read the metrics slowly, and who asks after health is still answered.
	 */
	@Test
	void boundsRequestsOfOperatorsAndKeepsPlacesForHealth() throws Exception {
		List<CompletableFuture<HttpResponse<String>>> slow = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			slow.add(this.client.sendAsync(request("/actuator/hold"), HttpResponse.BodyHandlers.ofString()));
		}
		assertThat(Hold.entered.await(20, TimeUnit.SECONDS)).isTrue();

		HttpResponse<String> beyond = get("/actuator/hold");
		HttpResponse<String> root = get("/actuator");
		HttpResponse<String> health = get("/actuator/health");
		Hold.leave.countDown();

		assertThat(beyond.statusCode()).isEqualTo(503);
		assertThat(beyond.headers().firstValue("Retry-After")).hasValue("1");
		assertThat(root.statusCode()).isEqualTo(503);
		assertThat(health.body()).contains("\"status\"").doesNotContain("Too many");
		for (CompletableFuture<HttpResponse<String>> one : slow) {
			assertThat(one.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
		}
		assertThat(get("/actuator").statusCode()).isEqualTo(200);
	}

	/** What serves operators would read a body of any size into memory. */
	@Test
	void readsNoLargeBodyOfAnOperator() throws Exception {
		String large = "{\"value\":\"" + "x".repeat(2000) + "\"}";
		HttpRequest.Builder post = HttpRequest.newBuilder(request("/actuator/hold"), (name, value) -> true)
			.header("Content-Type", "application/json");

		HttpResponse<String> sized = this.client.send(post.POST(HttpRequest.BodyPublishers.ofString(large)).build(),
				HttpResponse.BodyHandlers.ofString());
		HttpResponse<String> chunked = this.client.send(post
			.POST(HttpRequest.BodyPublishers.fromPublisher(HttpRequest.BodyPublishers.ofString("{\"value\":\"x\"}")))
			.build(), HttpResponse.BodyHandlers.ofString());
		HttpResponse<String> small = this.client.send(
				post.POST(HttpRequest.BodyPublishers.ofString("{\"value\":\"x\"}")).build(),
				HttpResponse.BodyHandlers.ofString());

		assertThat(sized.statusCode()).isEqualTo(413);
		assertThat(sized.body()).contains("1024 bytes");
		assertThat(chunked.statusCode()).isEqualTo(413);
		assertThat(small.body()).isEqualTo("x");
	}

	/** All may ask for the health, and what serves it would wait for a body. */
	@Test
	void readsNoBodyOfARequestThatOnlyAsks() throws Exception {
		HttpRequest request = HttpRequest.newBuilder(request("/actuator/health"), (name, value) -> true)
			.method("GET", HttpRequest.BodyPublishers.ofString("{}"))
			.header("Content-Type", "application/json")
			.build();

		HttpResponse<String> answer = this.client.send(request, HttpResponse.BodyHandlers.ofString());

		assertThat(answer.statusCode()).isEqualTo(400);
		assertThat(answer.body()).contains("POST alone");
	}

	@Test
	void keepsPlacesForMetricsWhileOperatorsBodiesTrickle() throws Exception {
		List<Socket> trickling = new ArrayList<>();
		try {
			for (int i = 0; i < 30; i++) {
				Socket socket = new Socket("127.0.0.1", this.port);
				trickling.add(socket);
				socket.getOutputStream()
					.write(("POST /actuator/hold HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
							+ "Content-Length: 100\r\n\r\n{")
						.getBytes(StandardCharsets.US_ASCII));
			}
			Awaitility.await()
				.atMost(10, TimeUnit.SECONDS)
				.until(() -> exchange("POST /actuator/hold HTTP/1.0\r\nContent-Length: 1\r\n\r\n{").contains(" 503 "));

			assertThat(get("/actuator").statusCode()).isEqualTo(200);
		}
		finally {
			for (Socket socket : trickling) {
				socket.close();
			}
		}
	}

	@Test
	@Tag("long")
	void cutsAHeadThatNeverEnds() throws IOException {
		try (Socket socket = new Socket("127.0.0.1", this.port)) {
			socket.getOutputStream().write("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));

			// a byte now and then begins Tomcat's own time-out anew
			Awaitility.await().atMost(10, TimeUnit.SECONDS).pollInterval(200, TimeUnit.MILLISECONDS).until(() -> {
				try {
					socket.getOutputStream().write("x".getBytes(StandardCharsets.US_ASCII));
					return false;
				}
				catch (IOException ex) {
					return true;
				}
			});
		}
	}

	@Test
	void servesTheDocumentsOfTheApiAndKeepsThePageOutOfFrames() throws Exception {
		assertThat(get("/openapi.yaml").headers().firstValue("Content-Type")).hasValue("application/yaml");
		assertThat(get("/docs/index.html").headers().firstValue("Content-Security-Policy"))
			.hasValue("script-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'");
	}

	/** A name of a client could turn a line of the log around, or look like two. */
	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void logsNothingThatIsNoText(CapturedOutput output) {
		LoggerFactory.getLogger("test")
			.atInfo()
			.addKeyValue("by", "a\u2028b\u202Ec\u009Bd\ne")
			.log("Asked by a\u2028b\u202Ec\u009Bd");

		assertThat(output).contains("Asked by a?b?c?d by=\"a?b?c?d?e\"");
	}

	/** A cache could keep an address of somebody else for all. */
	@Test
	void repeatsNoHostInARedirect() throws Exception {
		assertThat(get("/docs").headers().firstValue("Location")).hasValue("/docs/index.html");
		assertThat(exchange("GET /docs HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n"))
			.contains("Location: /docs/index.html")
			.doesNotContain("elsewhere");
	}

	private HttpResponse<String> get(String path) throws Exception {
		return this.client.send(request(path), HttpResponse.BodyHandlers.ofString());
	}

	private HttpRequest request(String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + path)).build();
	}

	private String exchange(String request) throws IOException {
		try (Socket socket = new Socket("127.0.0.1", this.port)) {
			socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@RestController
	static class Service {

		private static final CountDownLatch entered = new CountDownLatch(1);

		private static final CountDownLatch leave = new CountDownLatch(1);

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> oneRequest() {
			return (factory) -> factory.addEngineValves(new RequestLimitValve(1));
		}

		@Bean
		Hold hold() {
			return new Hold();
		}

		@GetMapping("/slow")
		String slow() throws InterruptedException {
			entered.countDown();
			leave.await(10, TimeUnit.SECONDS);
			return "slow";
		}

		@GetMapping("/broken")
		String broken() {
			throw new IllegalStateException("secret");
		}

	}

	/**
	 * Something that operators ask for, and that takes its time.
	 */
	@Endpoint(id = "hold")
	static class Hold {

		private static final CountDownLatch entered = new CountDownLatch(20);

		private static final CountDownLatch leave = new CountDownLatch(1);

		@WriteOperation
		String echo(String value) {
			return value;
		}

		@ReadOperation
		String hold() throws InterruptedException {
			entered.countDown();
			leave.await(30, TimeUnit.SECONDS);
			return "hold";
		}

	}

}
