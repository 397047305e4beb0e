package jobs.endtoend.flow;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Span;
import jobs.endtoend.pair.Pair;
import jobs.endtoend.pair.Postings;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Metrics, traces and the documents of the API, as those see them who run the pair.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("long")
class ObservabilityTests {

	private static final Pattern METRIC = Pattern.compile("\\b(jobs_\\w+|process_cpu_usage|jvm_memory_used_bytes)\\b");

	private static final List<Span> SPANS = new CopyOnWriteArrayList<>();

	private static HttpServer receiver;

	private static Pair pair;

	@BeforeAll
	static void start() throws IOException {
		receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		receiver.createContext("/v1/traces", (exchange) -> {
			byte[] body = exchange.getRequestBody().readAllBytes();
			ExportTraceServiceRequest.parseFrom(body)
				.getResourceSpansList()
				.forEach((resource) -> resource.getScopeSpansList()
					.forEach((scope) -> SPANS.addAll(scope.getSpansList())));
			exchange.sendResponseHeaders(200, -1);
			exchange.close();
		});
		receiver.start();
		pair = new Pair(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + receiver.getAddress().getPort()))
			.start();
	}

	@AfterAll
	static void stop() {
		pair.close();
		receiver.stop(0);
	}

	@Test
	void exportsEveryMetricOfDashboardAlertsAndManual() throws IOException {
		Set<String> named = metrics("docs/watch.md");
		assertThat(named).isNotEmpty();

		// the lag is measured after a moment
		await(() -> {
			Set<String> exported = exported();
			assertThat(exported).containsAll(metrics("observability/dashboard.json"));
			assertThat(exported).containsAll(metrics("observability/alerts.yml"));
			assertThat(exported.stream()
				.map((name) -> name.replaceFirst("_(count|sum|max|bucket)$", ""))
				.collect(Collectors.toSet())).containsAll(named);
		});
	}

	@Test
	void listsWhatTheyAreMadeOf() throws IOException {
		assertThat(get(pair.port, "/actuator/sbom/application")).contains("CycloneDX",
				"pkg:maven/org.apache.kafka/kafka-clients@");
		assertThat(get(pair.readPort, "/actuator/sbom/application"))
			.contains("pkg:maven/org.mongodb/mongodb-driver-sync@");
	}

	private static Set<String> exported() throws IOException {
		Set<String> exported = new TreeSet<>();
		for (int port : List.of(pair.port, pair.readPort)) {
			get(port, "/actuator/prometheus").lines()
				.filter((line) -> !line.startsWith("#"))
				.forEach((line) -> exported.add(line.split("[ {]", 2)[0]));
		}
		return exported;
	}

	private static Set<String> metrics(String file) throws IOException {
		return METRIC.matcher(Files.readString(Path.of("..", file)))
			.results()
			.map(MatchResult::group)
			.collect(Collectors.toSet());
	}

	@Test
	void tracesAJobFromTheRequestToTheInsert() throws IOException {
		String trace = "4bf92f3577b34da6a3ce929d0e0e4736";

		assertThat(pair.post("{\"title\":\"traced\"}", "traceparent", traceparent(trace)).statusCode()).isEqualTo(202);

		await(() -> assertThat(spans(trace)).extracting(Span::getName)
			.containsExactlyInAnyOrder("POST /jobs", "store jobs", "insert jobs"));
		assertThat(span(trace, "POST /jobs").getParentSpanId()).isEqualTo(bytes("00f067aa0ba902b7"));
		assertThat(span(trace, "store jobs").getParentSpanId()).isEqualTo(span(trace, "POST /jobs").getSpanId());
		assertThat(span(trace, "insert jobs").getParentSpanId()).isEqualTo(span(trace, "store jobs").getSpanId());
	}

	@Test
	void namesTheTraceInAProblem() throws IOException {
		String trace = "4bf92f3577b34da6a3ce929d0e0e4799";

		String problem = pair.post("nonsense", "traceparent", traceparent(trace)).body();

		assertThat(Postings.json(problem).get("traceId").asString()).isEqualTo(trace);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "/nothing", "/jobs/none", "/jobs?limit=0", "/jobs?company=%FF", "/dead-letters/none", "/%00" })
	void namesTheTraceInWhateverAnswersWithAProblem(String path) throws IOException {
		String trace = "4bf92f3577b34da6a3ce929d0e0e4798";

		for (int port : List.of(pair.port, pair.readPort)) {
			var answer = pair.get(URI.create("http://127.0.0.1:%d%s".formatted(port, path)), "traceparent",
					traceparent(trace));

			assertThat(answer.statusCode()).isBetween(400, 499);
			assertThat(Postings.json(answer.body()).path("traceId").asString("")).isEqualTo(trace);
		}
	}

	@Test
	void answersWhatIsNoRequest() throws IOException {
		for (int port : List.of(pair.port, pair.readPort)) {
			try (Socket socket = new Socket("127.0.0.1", port)) {
				socket.setSoTimeout(20_000);
				socket.getOutputStream().write("GARBAGE\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
				assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
					.startsWith("HTTP/1.1 400");
			}
		}
		for (String service : List.of("rest-to-kafka", "kafka-to-mongo")) {
			assertThat(Files.readString(Path.of("target", service + ".log"))).doesNotContain("NullPointerException");
		}
	}

	@Test
	void namesTheTraceInALogLine() throws IOException {
		String trace = "4bf92f3577b34da6a3ce929d0e0e4797";
		pair.post("{\"title\":\"first\"}", "Idempotency-Key", "twice");

		pair.post("{\"title\":\"second\"}", "Idempotency-Key", "twice", "traceparent", traceparent(trace));

		await(() -> assertThat(Files.readString(Path.of("target", "kafka-to-mongo.log")))
			.containsPattern("became a dead letter .*traceId=\"%s\"".formatted(trace)));
	}

	@Test
	void servesTheDocumentsOfTheApi() throws IOException {
		for (int port : List.of(pair.port, pair.readPort)) {
			for (String file : List.of("openapi.yaml", "asyncapi.yaml", "job.schema.json")) {
				var answer = pair.get(URI.create("http://127.0.0.1:%d/%s".formatted(port, file)));
				assertThat(answer.headers().firstValue("Content-Type"))
					.contains("application/" + file.replaceFirst(".*\\.", ""));
				assertThat(answer.body()).isEqualTo(Files.readString(Path.of("..", "contract", file)));
			}
			assertThat(get(port, "/docs/index.html")).contains("swagger-ui-bundle.js");
			assertThat(get(port, "/docs/swagger-ui-bundle.js")).hasSizeGreaterThan(1_000_000);
			assertThat(get(port, "/docs/swagger-ui.css")).contains(".swagger-ui");
		}
	}

	private static String get(int port, String path) throws IOException {
		var answer = pair.get(URI.create("http://127.0.0.1:%d%s".formatted(port, path)));
		assertThat(answer.statusCode()).as(path).isEqualTo(200);
		return answer.body();
	}

	private static List<Span> spans(String trace) {
		return SPANS.stream().filter((span) -> span.getTraceId().equals(bytes(trace))).toList();
	}

	private static Span span(String trace, String name) {
		return spans(trace).stream().filter((span) -> span.getName().equals(name)).findFirst().orElseThrow();
	}

	private static String traceparent(String trace) {
		return "00-" + trace + "-00f067aa0ba902b7-01";
	}

	private static ByteString bytes(String hex) {
		return ByteString.copyFrom(HexFormat.of().parseHex(hex));
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(assertion);
	}

}
