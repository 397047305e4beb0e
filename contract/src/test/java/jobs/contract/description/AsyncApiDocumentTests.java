package jobs.contract.description;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import jobs.contract.resources.Resources;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** What producers and consumers read of {@code examples/orders}. */
class AsyncApiDocumentTests {

	private final JsonMapper json = new JsonMapper();

	private final Resources resources = OpenApiDocumentTests
		.load(Path.of("..", "examples", "orders", "resources.yaml"));

	private final JsonNode api = this.json.readTree(AsyncApi.of(this.resources));

	private final JsonNode source = new YAMLMapper().readTree(Path.of("asyncapi.yaml"));

	@Test
	void hasTheTopicsAndGroupsOfEachResource() {
		assertThat(this.api.get("channels").findValuesAsString("address")).containsExactly("jobs-topic1",
				"jobs-topic1-dlt", "orders", "orders-dlt");
		assertThat(this.api.get("operations").findValuesAsString("const")).containsExactly("group-id-1",
				"group-id-1-dead-letters", "orders", "orders-dead-letters");
		assertThat(this.api.at("/operations/keepDeadLetterOfOrders/summary").asString())
			.isEqualTo("kafka-to-mongo keeps it in db.orders.deadLetters");
	}

	@Test
	void leavesTheJobsAsTheyAre() {
		for (String part : List.of("channels", "operations")) {
			this.source.get(part)
				.properties()
				.forEach((one) -> assertThat(this.api.get(part).get(one.getKey())).isEqualTo(one.getValue()));
		}
	}

	@Test
	void embedsTheContractUnchangedUnderAnAddress() {
		JsonNode payload = this.api.at("/components/messages/orders.Document/payload");
		ObjectNode schema = (ObjectNode) payload.get("schema").deepCopy();

		assertThat(payload.get("schemaFormat").asString()).contains("2020-12");
		assertThat(schema.remove("$id").asString()).isEqualTo("contracts/orders");
		assertThat(schema)
			.isEqualTo(this.json.readTree(Objects.requireNonNull(this.resources.find("orders")).contract().schema()));
	}

	@Test
	void refersToNothingThatIsNotThere() {
		List<String> references = this.api.findValuesAsString("$ref")
			.stream()
			.filter((one) -> !one.startsWith("#/$defs/"))
			.toList();

		assertThat(references).isNotEmpty()
			.allSatisfy((one) -> assertThat(this.api.at(one.substring(1)).isMissingNode()).as(one).isFalse());
	}

}
