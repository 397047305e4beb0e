package jobs.resttokafka.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** Jobs are taken as ever where operators have a port of their own. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = "management.server.port=0")
@Import(TestKafka.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OperatorsPortTests extends ReadyTestBase {

	private static final String TOPIC = "jobs-" + UUID.randomUUID();

	@LocalManagementPort
	private int portOfOperators;

	@DynamicPropertySource
	static void ownTopic(DynamicPropertyRegistry registry) {
		registry.add("rest-to-kafka.topic", () -> TOPIC);
	}

	@Override
	HttpRequest.Builder readiness() {
		return operators("/actuator/health/readiness");
	}

	/** Its lines come one after the other, so that the service waits for each. */
	@Test
	void answersAnUploadLineByLine() throws Exception {
		try (Socket client = new Socket("127.0.0.1", this.port)) {
			client.setSoTimeout(10_000);
			BufferedReader in = new BufferedReader(
					new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
			write(client, "POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\n"
					+ "Transfer-Encoding: chunked\r\n\r\n");
			for (int line = 1; line <= 3; line++) {
				write(client, "e\r\n{\"title\":\"a\"}\n\r\n");
				assertThat(lineWith(in, "\"line\":" + line)).contains("\"status\":202");
			}
			write(client, "0\r\n\r\n");
			assertThat(lineWith(in, "0")).isEqualTo("0");
		}
	}

	@Test
	void countsRequestsInTheMetricsOfOperators() throws Exception {
		assertThat(send(post("{\"title\":\"a\"}")).statusCode()).isEqualTo(202);

		assertThat(send(operators("/actuator/prometheus")).body().lines())
			.anyMatch((line) -> line.matches("jobs_requests_total\\{status=\"202\"} [1-9].*"));
	}

	private HttpRequest.Builder operators(String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(this.portOfOperators, path)));
	}

	private static void write(Socket client, String text) throws IOException {
		client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
	}

	/** The next line that has a text. */
	private static String lineWith(BufferedReader in, String text) throws IOException {
		String line = in.readLine();
		while (line != null && !line.contains(text)) {
			line = in.readLine();
		}
		return String.valueOf(line);
	}

}
