package jobs.kafkatomongo.http;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/** The page of the API is that of this service. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.kafka.bootstrap-servers=127.0.0.1:1", "spring.mongodb.uri=mongodb://127.0.0.1:1/db" })
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DocsTests {

	private final HttpClient client = HttpClient.newHttpClient();

	@LocalServerPort
	private int port;

	@Test
	void tellsThePageWhoseItIs() throws Exception {
		HttpResponse<String> service = get("/docs/service.js");

		assertThat(service.headers().firstValue("Content-Type").orElseThrow()).contains("javascript");
		assertThat(service.body()).contains("SERVICE = 'kafka-to-mongo'");
		assertThat(get("/docs/index.html").body()).contains("\"service.js\"");
	}

	@Test
	void keepsTheConsoleAtTheRoot() throws Exception {
		HttpResponse<String> root = get("/");

		assertThat(root.statusCode()).isEqualTo(200);
		assertThat(root.body()).contains("console.js");
	}

	@ParameterizedTest
	@ValueSource(strings = { "openapi.yaml", "asyncapi.yaml", "job.schema.json" })
	void servesTheDocumentsOfTheContract(String document) throws Exception {
		assertThat(get("/" + document).body()).isEqualTo(Files.readString(Path.of("..", "contract", document)));
	}

	private HttpResponse<String> get(String path) throws Exception {
		return this.client.send(
				HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(this.port, path))).build(),
				HttpResponse.BodyHandlers.ofString());
	}

}
