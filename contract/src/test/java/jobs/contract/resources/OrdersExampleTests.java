package jobs.contract.resources;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import jobs.contract.Contract;
import jobs.contract.RefusedDocumentException;
import jobs.contract.Violation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * The files of {@code examples/orders} are understood, and {@code resources.schema.json}
 * tells editors what the services take.
 */
class OrdersExampleTests {

	private static final Path FOLDER = Path.of("..", "examples", "orders");

	private final JsonMapper json = new JsonMapper();

	private final Resources resources = Resources.load(FOLDER.resolve("resources.yaml").toString(),
			new ResourceSettings((_) -> null, (_) -> null, "256KB"));

	private final Resource orders = Objects.requireNonNull(this.resources.find("orders"));

	@Test
	void hasJobsAndOrders() {
		assertThat(this.resources.names()).containsExactly("jobs", "orders");
		assertThat(this.orders.contracts()).hasSize(2);
		assertThat(this.orders.contracts()).allSatisfy((one) -> assertThat(one.warnings()).isEmpty());
	}

	@Test
	void givesEditorsTheKeysOfTheServices() throws IOException {
		JsonNode keys = schema().at("/$defs/resource/properties");

		assertThat(new TreeSet<>(keys.propertyNames())).isEqualTo(new TreeSet<>(ResourceFile.KEYS));
	}

	@Test
	void isWhatEditorsTake() throws IOException {
		String file = Files.readString(FOLDER.resolve("resources.yaml"));

		String schema = file.lines().findFirst().orElseThrow().replaceFirst("# yaml-language-server: \\$schema=", "");
		assertThat(FOLDER.resolve(schema)).isRegularFile();
		assertThat(faults(file)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "resources: {orders: {}}", "resources: {orders: {contract: a.json, colour: red}}",
			"resources: {Orders: {contract: a.json}}", "resources: {docs: {contract: a.json}}", "resources: {}", "a: b",
			"resources: {orders: {contract: a.json, formats: 'no'}}", "resources: {orders: {contract: []}}",
			"resources: {orders: {contract: a.json, find-by: customer}}",
			"resources: {orders: {contract: a.json, find-by: /_x}}",
			"resources: {orders: {contract: a.json, list: [/a, /_x]}}",
			"resources: {orders: {contract: a.json, find-by: /id}}",
			"resources: {orders: {contract: a.json, find-by: [/a, /limit]}}",
			"resources: {orders: {contract: a.json, topic: __orders}}",
			"resources: {orders: {contract: a.json, max-size: 1GB}}",
			"resources: {orders: {contract: a.json, topic: 'a b'}}",
			"resources: {orders: {contract: a.json, collection: system.users}}" })
	void warnsInAnEditor(String file) throws IOException {
		assertThat(faults(file)).isNotEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "find-by", "list", "contract" })
	void takesSixteenElementsInAnEditor(String key) throws IOException {
		String elements = IntStream.range(0, 16).mapToObj((i) -> "/a" + i).collect(Collectors.joining(", "));
		String file = "resources: {jobs: {%s: [%s]}}".formatted(key,
				key.equals("contract") ? elements.replace("/", "") : elements);

		assertThat(faults(file)).isEmpty();
		assertThat(faults(file.replace("]", key.equals("contract") ? ", b]" : ", /b]"))).isNotEmpty();
	}

	@ParameterizedTest
	@MethodSource
	void takesOrders(String order) {
		assertThatCode(() -> this.orders.contract().check(bytes(order))).doesNotThrowAnyException();
	}

	static Stream<String> takesOrders() throws IOException {
		return Files.readAllLines(FOLDER.resolve("orders.ndjson")).stream();
	}

	@Test
	void showsExamplesThatPass() {
		for (Contract contract : this.orders.contracts()) {
			JsonNode examples = this.json.readTree(contract.schema()).path("examples");

			assertThat(examples).isNotEmpty();
			examples.forEach((example) -> assertThatCode(() -> contract.check(bytes(example.toString())))
				.doesNotThrowAnyException());
		}
	}

	@ParameterizedTest
	@MethodSource
	void refusesOrders(String order, String pointer) {
		RefusedDocumentException refusal = catchThrowableOfType(RefusedDocumentException.class,
				() -> this.orders.contract().check(bytes(order)));

		assertThat(refusal.violations()).extracting(Violation::pointer).containsExactly(pointer);
	}

	static Stream<Object[]> refusesOrders() throws IOException {
		return Files.readAllLines(FOLDER.resolve("refused.tsv")).stream().map((line) -> line.split("\t", -1));
	}

	@Test
	void hasWordsOfItsOwn() throws IOException {
		RefusedDocumentException refusal = catchThrowableOfType(RefusedDocumentException.class,
				() -> this.orders.contract().check(bytes(refused("/orderNumber"))));

		assertThat(refusal.violations()).extracting(Violation::detail).containsExactly("must be OR- and six digits");
	}

	/** What only the second version refuses stays good for kafka-to-mongo. */
	@Test
	void storesWhatTheVersionBeforeTakes() throws IOException {
		byte[] order = bytes(refused("/customer/name"));

		assertThatCode(() -> this.orders.contracts().getFirst().check(order)).doesNotThrowAnyException();
	}

	private static String refused(String pointer) throws IOException {
		return (String) refusesOrders().filter((one) -> one[1].equals(pointer)).findFirst().orElseThrow()[0];
	}

	private List<String> faults(String yaml) throws IOException {
		Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(schema());
		Object tree = new Yaml(new SafeConstructor(new LoaderOptions())).load(yaml);
		return schema.validate(this.json.valueToTree(tree)).stream().map(Object::toString).toList();
	}

	private JsonNode schema() throws IOException {
		return this.json.readTree(Files.readString(Path.of("resources.schema.json")));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
