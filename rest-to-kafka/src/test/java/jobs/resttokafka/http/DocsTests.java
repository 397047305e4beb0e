package jobs.resttokafka.http;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;

import jobs.testkit.Sha256;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page of the API is found at the root, and is that of this service, also without a
 * key.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.kafka.bootstrap-servers=127.0.0.1:1", "jobs.security.enabled=true" })
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DocsTests extends HttpTestBase {

	@TempDir
	private static Path folder;

	@DynamicPropertySource
	static void settings(DynamicPropertyRegistry settings) throws IOException {
		Path keys = Files.writeString(folder.resolve("keys"), """
				{"name":"ann","sha256":"%s","roles":["jobs:write"]}
				""".formatted(Sha256.of("jobs_ann")));
		settings.add("jobs.security.keys-file", keys::toString);
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "HEAD" })
	void leadsFromTheRootToThePage(String method) throws Exception {
		HttpResponse<String> root = send(
				HttpRequest.newBuilder(uri("/")).method(method, HttpRequest.BodyPublishers.noBody()));

		assertThat(root.statusCode()).isEqualTo(302);
		assertThat(root.headers().firstValue("Location")).hasValue("/docs");
	}

	@ParameterizedTest
	@ValueSource(strings = { "openapi.yaml", "asyncapi.yaml", "job.schema.json" })
	void servesTheDocumentsOfTheContract(String document) throws Exception {
		assertThat(send(HttpRequest.newBuilder(uri("/" + document))).body())
			.isEqualTo(Files.readString(Path.of("..", "contract", document)));
	}

	@Test
	void opensNothingElse() throws Exception {
		assertThat(send(HttpRequest.newBuilder(uri("/nope"))).statusCode()).isEqualTo(401);
		assertThat(send(post("{\"title\":\"a\"}")).statusCode()).isEqualTo(401);
	}

	@Test
	void tellsThePageWhoseItIs() throws Exception {
		HttpResponse<String> service = send(HttpRequest.newBuilder(uri("/docs/service.js")));

		assertThat(service.headers().firstValue("Content-Type").orElseThrow()).contains("javascript");
		assertThat(service.body()).contains("SERVICE = 'rest-to-kafka'");
		assertThat(send(HttpRequest.newBuilder(uri("/docs/index.html"))).body()).contains("\"service.js\"");
	}

}
