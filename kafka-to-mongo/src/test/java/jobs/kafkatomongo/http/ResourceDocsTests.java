package jobs.kafkatomongo.http;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import static org.assertj.core.api.Assertions.assertThat;

/** Where a file names resources, clients and the page read of them. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.kafka.bootstrap-servers=127.0.0.1:1", "spring.mongodb.uri=mongodb://127.0.0.1:1/db" })
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResourceDocsTests {

	private final HttpClient client = HttpClient.newHttpClient();

	@LocalServerPort
	private int port;

	@Autowired
	@Qualifier("requestMappingHandlerMapping")
	private RequestMappingHandlerMapping mappings;

	@DynamicPropertySource
	static void resources(DynamicPropertyRegistry settings) {
		settings.add("jobs.resources", () -> Path.of("..", "examples", "orders", "resources.yaml").toString());
	}

	@ParameterizedTest
	@ValueSource(strings = { "/openapi.yaml", "/docs/openapi.yaml", "/asyncapi.yaml" })
	void describesTheResourcesOfTheFile(String path) throws Exception {
		HttpResponse<String> answer = get(path);

		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/yaml");
		assertThat(answer.body()).contains("deliverBy", "OfOrders");
	}

	/**
	 * But for what has two addresses: {@code ?id=} takes what no path can have,
	 * {@code /replays} is another name, and a slash may stand at the end.
	 */
	@Test
	void describesAllThatThereIsOfOrders() throws Exception {
		JsonNode api = new JsonMapper().readTree(get("/openapi.yaml").body());
		List<String> described = api.get("paths")
			.properties()
			.stream()
			.filter((path) -> path.getKey().startsWith("/orders"))
			.flatMap((path) -> path.getValue()
				.properties()
				.stream()
				.filter((one) -> !one.getValue().has("servers"))
				.map((one) -> one.getKey() + " " + path.getKey()))
			.toList();

		TreeSet<String> served = this.mappings.getHandlerMethods()
			.keySet()
			.stream()
			.filter((mapping) -> mapping.getParamsCondition().isEmpty())
			.flatMap((mapping) -> mapping.getPatternValues()
				.stream()
				.filter((path) -> path.startsWith("/orders") && !path.endsWith("/replays") && !path.endsWith("/"))
				.flatMap((path) -> mapping.getMethodsCondition()
					.getMethods()
					.stream()
					.map((method) -> method.name().toLowerCase(Locale.ROOT) + " " + path)))
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(served).isNotEmpty();
		assertThat(described).containsExactlyInAnyOrderElementsOf(served);
	}

	private HttpResponse<String> get(String path) throws Exception {
		return this.client.send(
				HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(this.port, path))).build(),
				HttpResponse.BodyHandlers.ofString());
	}

}
