package jobs.contract;

import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The page of the API goes by these parts of {@code openapi.yaml}. */
class OpenApiTests {

	private final JsonNode api = new YAMLMapper().readTree(Path.of("openapi.yaml"));

	@ParameterizedTest
	@CsvSource({ "rest-to-kafka, postJobs listContracts getContract isReady getMetrics getBillOfMaterials",
			"kafka-to-mongo, listJobs followJobs getJob eraseJob listDeadLetters discardDeadLetters replayDeadLetters "
					+ "getDeadLetter discardDeadLetter replayDeadLetter "
					+ "listContracts getContract isReady getMetrics getBillOfMaterials" })
	void namesWhoServesAnOperation(String service, String operations) {
		assertThat(operations().filter((one) -> names(one, service)).map((one) -> text(one, "operationId")))
			.containsExactly(operations.split(" "));
	}

	/** No page would show an operation that is nobody's. */
	@Test
	void hasNoOperationThatNobodyServes() {
		assertThat(operations()).isNotEmpty()
			.allMatch((one) -> names(one, "rest-to-kafka") || names(one, "kafka-to-mongo"));
	}

	@Test
	void beginsWithJobs() {
		assertThat(this.api.get("tags").valueStream().map((tag) -> text(tag, "name"))).containsExactly("jobs",
				"dead letters", "contracts", "operations");
	}

	/**
	 * A comma without quotes around it ends a text, and begins a field without a value.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "openapi.yaml", "asyncapi.yaml" })
	void hasNoFieldWithoutAValue(String document) {
		assertThat(new YAMLMapper().readTree(Path.of(document)).toString()).doesNotContain(":null");
	}

	private Stream<JsonNode> operations() {
		return this.api.get("paths")
			.valueStream()
			.flatMap(JsonNode::valueStream)
			.filter((part) -> part.has("operationId"));
	}

	private boolean names(JsonNode operation, String service) {
		JsonNode named = operation.has("servers") ? operation : this.api;
		return named.get("servers").valueStream().anyMatch((server) -> text(server, "description").equals(service));
	}

	private static String text(JsonNode node, String field) {
		return node.get(field).asString();
	}

}
