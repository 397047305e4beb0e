package jobs.contract.description;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;

import jobs.contract.RefusedDocumentException;
import jobs.contract.resources.Resource;
import jobs.contract.resources.ResourceSettings;
import jobs.contract.resources.Resources;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** What clients read of {@code examples/orders}, and of files like it. */
class OpenApiDocumentTests {

	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.build();

	private static final String ORDERS = """
			resources:
			  orders:
			    contract: schema.json
			""";

	@TempDir
	private Path folder;

	private final Resources resources = load(Path.of("..", "examples", "orders", "resources.yaml"));

	private final JsonNode api = JSON.readTree(OpenApi.of(this.resources));

	private final JsonNode source = new YAMLMapper().readTree(Path.of("openapi.yaml"));

	@Test
	void hasEachOperationOfEachResourceAndNoOther() {
		List<String> expected = operations(this.source).stream()
			.flatMap((one) -> one.contains(" /jobs") ? Stream.of(one, one.replace(" /jobs", " /orders"))
					: one.contains(" /dead-letters")
							? Stream.of(one, one.replace(" /dead-letters", " /orders/dead-letters")) : Stream.of(one))
			.toList();

		assertThat(operations(this.api)).containsExactlyInAnyOrderElementsOf(expected);
		assertThat(this.api.findValuesAsString("operationId")).doesNotHaveDuplicates().hasSameSizeAs(expected);
	}

	/** Clients made from the document of the jobs stay as they are. */
	@Test
	void leavesTheJobsAsTheyAre() {
		this.source.get("paths")
			.properties()
			.stream()
			.filter((one) -> !one.getKey().contains("{resource}"))
			.forEach((one) -> assertThat(this.api.get("paths").get(one.getKey())).isEqualTo(one.getValue()));
		this.source.at("/components/schemas")
			.properties()
			.stream()
			.filter((one) -> !one.getKey().equals("Job"))
			.forEach((one) -> assertThat(this.api.at("/components/schemas/" + one.getKey())).isEqualTo(one.getValue()));
	}

	@Test
	void speaksOfOrdersInTheirOwnWords() {
		JsonNode list = this.api.at("/paths/~1orders/get");
		String orders = this.api.get("paths")
			.properties()
			.stream()
			.filter((one) -> one.getKey().startsWith("/orders"))
			.map((one) -> one.getValue().toString())
			.reduce("", String::concat);

		assertThat(list.get("parameters").findValuesAsString("name")).containsExactly("state", "customer.email");
		assertThat(orders).contains("orders:write", "orders:dead-letters:operate", "document")
			.doesNotContainPattern("\\bjobs?\\b(?!\")")
			.doesNotContain("company");
		assertThat(this.api.at("/components/schemas/orders.AcceptedDocument/required/0").asString()).isEqualTo("_id");
		assertThat(this.api.at("/components/schemas/orders.Documents/required/0").asString()).isEqualTo("orders");
		assertThat(this.api.at("/components/parameters/orders.deadLetter/description").asString())
			.contains("`orders#1#42`");
	}

	@Test
	void tellsOfVersionsWhereDocumentsHaveThem() throws IOException {
		Files.writeString(this.folder.resolve("schema.json"), """
				{"required": ["n", "v"], "properties": {"n": {"type": "string"}, "v": {"type": "integer"}}}""");
		Path file = Files.writeString(this.folder.resolve("resources.yaml"), ORDERS + "    id: /n\n    version: /v\n");

		JsonNode made = JSON.readTree(OpenApi.of(load(file)));

		assertThat(made.at("/paths/~1orders/delete/parameters").findValuesAsString("name")).containsExactly("id",
				"version", "If-Match");
		assertThat(made.at("/paths/~1orders/delete/responses/403/description").asString()).contains("orders:delete");
		assertThat(made.at("/paths/~1orders/post/responses/422/description").asString()).contains("`/n`");
		assertThat(made.at("/paths/~1orders~1{id}/get/parameters").findValuesAsString("name")).contains("version");
		assertThat(made.at("/paths/~1orders~1events/get/parameters").findValuesAsString("name"))
			.containsExactly("Last-Event-ID");
		assertThat(made.at("/paths/~1orders~1{id}/get/responses/200/headers").propertyNames()).contains("ETag",
				"Last-Modified", "Superseded-By");
		assertThat(made.findValuesAsString("operationId")).doesNotHaveDuplicates();
		assertThat(made.at("/components/schemas/orders.AcceptedDocument/properties/_id").has("format")).isFalse();
		JsonNode records = JSON.readTree(AsyncApi.of(load(file)));
		assertThat(records.at("/channels/orders/description").asString()).contains("deletes the document of its key");
		assertThat(records.at("/components/messages/orders.Document/headers/properties/version/type").asString())
			.isEqualTo("string");
		assertThat(this.api.at("/paths/~1orders").has("delete")).isFalse();
	}

	@Test
	void embedsTheContractUnchangedUnderAnAddress() {
		ObjectNode embedded = (ObjectNode) this.api.at("/components/schemas/orders.Document").deepCopy();

		assertThat(embedded.remove("$id").asString()).isEqualTo("contracts/orders");
		assertThat(embedded).isEqualTo(JSON.readTree(orders().contract().schema()));
	}

	@Test
	void keepsTheAddressOfAContract() throws IOException {
		String schema = "{\"$id\": \"https://shop.example/order\", \"properties\": {\"price\": {\"const\": 1.10}, \"next\": {\"maximum\": 1e400}}}";

		JsonNode made = JSON.readTree(OpenApi.of(orders(schema)));

		assertThat(made.at("/components/schemas/orders.Document")).isEqualTo(JSON.readTree(schema));
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

	@Test
	void showsExamplesThatPass() throws RefusedDocumentException {
		JsonNode content = this.api.at("/paths/~1orders/post/requestBody/content");
		List<JsonNode> examples = content.at("/application~1json/examples").findValues("value");
		String[] lines = content.at("/application~1x-ndjson/example").asString().split("\n");

		assertThat(examples).hasSize(2).hasSameSizeAs(lines);
		for (JsonNode one : examples) {
			orders().contract().check(JSON.writeValueAsBytes(one));
		}
		assertThat(JSON.readTree(lines[0])).isEqualTo(examples.getFirst());
	}

	@Test
	void showsNoExampleThatIsRefused() throws IOException {
		JsonNode made = JSON.readTree(OpenApi
			.of(orders("{\"required\": [\"a\"], \"examples\": [{\"a\": 1}, {\"b\": 1}, {\"a\": 1, \"_c\": 2}]}")));

		assertThat(made.at("/paths/~1orders/post/requestBody/content/application~1json/examples").findValues("value"))
			.containsExactly(JSON.readTree("{\"a\": 1}"));
	}

	@Test
	void namesNoJobWhereThereIsNone() throws IOException {
		String made = OpenApi.of(orders("{}"));

		assertThat(JSON.readTree(made).at("/info/title").asString()).isEqualTo("Documents");
		assertThat(made).doesNotContain("/jobs", "jobs:", "NotAJob", "\"example\" : \"jobs\"");
	}

	/** In a file with another contract, the jobs keep their paths and words alone. */
	@Test
	void describesJobsWithAContractOfTheirOwn() throws IOException {
		Files.writeString(this.folder.resolve("schema.json"), "{\"required\": [\"pay\"]}");
		JsonNode made = read("resources: {jobs: {contract: schema.json, topic: work, find-by: [/pay]}}");

		assertThat(operations(made)).isEqualTo(operations(this.source));
		assertThat(made.at("/components/schemas/Job/required/0").asString()).isEqualTo("pay");
		assertThat(made.at("/paths/~1jobs/get/parameters").findValuesAsString("name")).containsExactly("pay");
		assertThat(made.at("/paths/~1jobs/post/requestBody").toString()).doesNotContain("example");
		assertThat(made.at("/components/parameters/deadLetter/description").asString()).contains("`work#1#42`");
		assertThat(made.at("/info")).isEqualTo(this.source.get("info"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "true", "{\"examples\": []}", "{\"additionalProperties\": false}",
			"{\"$ref\": \"#/components/schemas/A\", \"components\": {\"schemas\": {\"A\": {\"description\": \"A job\"}}}}" })
	void takesAnyContract(String schema) throws IOException {
		JsonNode made = JSON.readTree(OpenApi.of(orders(schema)));

		JsonNode embedded = made.at("/components/schemas/orders.Document");
		if (embedded instanceof ObjectNode object) {
			object.remove("$id");
		}
		assertThat(embedded).isEqualTo(JSON.readTree(schema));
		assertThat(made.at("/paths/~1orders/post/requestBody").toString()).doesNotContain("example");
	}

	/** Names that begin alike have operations of their own. */
	@Test
	void tellsResourcesApart() throws IOException {
		Files.writeString(this.folder.resolve("schema.json"), "{}");
		JsonNode made = read("resources: {a1: {contract: schema.json}, a-12: {contract: schema.json}}");

		assertThat(made.findValuesAsString("operationId")).doesNotHaveDuplicates();
	}

	private JsonNode read(String file) throws IOException {
		return JSON.readTree(OpenApi.of(load(Files.writeString(this.folder.resolve("resources.yaml"), file))));
	}

	private Resources orders(String schema) throws IOException {
		Files.writeString(this.folder.resolve("schema.json"), schema);
		return load(Files.writeString(this.folder.resolve("resources.yaml"), ORDERS));
	}

	private Resource orders() {
		return Objects.requireNonNull(this.resources.find("orders"));
	}

	private static TreeSet<String> operations(JsonNode api) {
		TreeSet<String> operations = new TreeSet<>();
		api.get("paths")
			.properties()
			.forEach((path) -> path.getValue()
				.propertyNames()
				.forEach((method) -> operations.add(method + " " + path.getKey())));
		return operations;
	}

	static Resources load(Path file) {
		return Resources.load(file.toString(), new ResourceSettings((_) -> null, (_) -> null, "256KB"));
	}

}
