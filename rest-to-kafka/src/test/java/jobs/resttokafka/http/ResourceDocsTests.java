package jobs.resttokafka.http;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import jakarta.servlet.ServletContext;
import jobs.testkit.Sha256;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where a file names resources, clients and the page read of them, also without a key.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.kafka.bootstrap-servers=127.0.0.1:1", "jobs.security.enabled=true" })
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResourceDocsTests extends HttpTestBase {

	@TempDir
	private static Path folder;

	@Autowired
	private ServletContext context;

	@DynamicPropertySource
	static void settings(DynamicPropertyRegistry settings) throws Exception {
		Path keys = Files.writeString(folder.resolve("keys"), """
				{"name":"ann","sha256":"%s","roles":["events:write"]}
				""".formatted(Sha256.of("jobs_ann")));
		Files.writeString(folder.resolve("event.json"),
				"{\"required\": [\"kind\"], \"examples\": [{\"kind\": \"a\"}]}");
		Path resources = Files.writeString(folder.resolve("resources.yaml"),
				"resources: {events: {contract: event.json}}");
		settings.add("jobs.security.keys-file", keys::toString);
		settings.add("jobs.resources", resources::toString);
	}

	@Test
	void describesTheResourcesOfTheFile() throws Exception {
		JsonNode api = api("/openapi.yaml");

		List<String> posted = api.get("paths")
			.properties()
			.stream()
			.filter((path) -> path.getValue().has("post") && path.getValue().get("post").has("servers"))
			.map(Map.Entry::getKey)
			.toList();
		assertThat(posted).containsExactly("/events");
		assertThat(this.context.getServletRegistration("events").getMappings()).containsExactly("/events");
		assertThat(api.at("/paths/~1events/post/requestBody/content/application~1json/examples").findValues("value"))
			.containsExactly(new JsonMapper().readTree("{\"kind\": \"a\"}"));
		assertThat(api("/asyncapi.yaml").at("/channels").findValuesAsString("address")).containsExactly("events",
				"events-dlt");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/job.schema.json", "/docs/job.schema.json" })
	void hasNoContractOfJobsWhereThereAreNone(String path) throws Exception {
		assertThat(send(HttpRequest.newBuilder(uri(path))).statusCode()).isEqualTo(404);
	}

	private JsonNode api(String path) throws Exception {
		HttpResponse<String> answer = send(HttpRequest.newBuilder(uri(path)));
		assertThat(answer.statusCode()).isEqualTo(200);
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/yaml");
		return new JsonMapper().readTree(answer.body());
	}

}
