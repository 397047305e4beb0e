package jobs.contract.resources;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import jobs.contract.Contract;
import jobs.contract.RefusedDocumentException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A file names resources, and what it leaves open follows from their names.
 */
class ResourcesTests {

	private static final String ORDER = "{\"type\":\"object\",\"required\":[\"orderNumber\"]}";

	@TempDir
	private Path folder;

	private final Map<String, String> settings = new HashMap<>();

	@BeforeEach
	void writeContracts() throws IOException {
		Files.writeString(this.folder.resolve("order.schema.json"), ORDER);
		Files.writeString(this.folder.resolve("order-2.schema.json"), ORDER.replace("orderNumber", "number"));
	}

	@Test
	void needsNothingButAContract() throws IOException {
		Resource orders = find("orders", read("""
				resources:
				  orders:
				    contract: order.schema.json
				"""));

		assertThat(orders.topic()).isEqualTo("orders");
		assertThat(orders.deadLetterTopic()).isEqualTo("orders-dlt");
		assertThat(orders.collection()).isEqualTo("orders");
		assertThat(orders.deadLetterCollection()).isEqualTo("orders.deadLetters");
		assertThat(orders.group()).isEqualTo("orders");
		assertThat(orders.maxSize()).isEqualTo(256 * 1024);
		assertThat(orders.path()).isEqualTo("/orders");
		assertThat(orders.deadLettersPath()).isEqualTo("/orders/dead-letters");
		assertThat(orders.findBy()).isEmpty();
	}

	@Test
	void takesWhatTheFileSaysAndTheEnvironmentBeforeIt() throws IOException {
		this.settings.put("jobs.resources.orders.topic", "orders-of-today");
		Resource orders = find("orders", read("""
				resources:
				  orders:
				    contract: [order.schema.json, order-2.schema.json]
				    find-by: [/customer, /state/name]
				    list: [/orderNumber]
				    max-size: 1MB
				    topic: t
				    dead-letter-topic: d
				    collection: c
				    dead-letter-collection: dc
				    group: g
				"""));

		assertThat(orders)
			.extracting(Resource::topic, Resource::deadLetterTopic, Resource::collection,
					Resource::deadLetterCollection, Resource::group)
			.containsExactly("orders-of-today", "d", "c", "dc", "g");
		assertThat(orders.maxSize()).isEqualTo(1024 * 1024);
		assertThat(orders.findBy()).containsExactly("/customer", "/state/name");
		assertThat(orders.columns()).containsExactly("/orderNumber");
		assertThat(orders.contracts()).hasSize(2);
		assertThatCode(() -> orders.contract().check("{\"number\":1}".getBytes())).doesNotThrowAnyException();
	}

	@Test
	void keepsTheNamesOfTheJobs() throws IOException {
		Resource alone = Resources.load(null, settings()).all().getFirst();
		Resource beside = find("jobs", read("""
				resources:
				  jobs:
				  orders:
				    contract: order.schema.json
				"""));

		assertThat(alone).usingRecursiveComparison().ignoringFields("contracts").isEqualTo(beside);
		this.settings.put("topic", "postings");
		assertThat(Resources.load(null, settings()).all().getFirst().deadLetterTopic()).isEqualTo("jobs-topic1-dlt");
		assertThat(alone.topic()).isEqualTo("jobs-topic1");
		assertThat(alone.deadLetterCollection()).isEqualTo("deadLetters");
		assertThat(alone.contract().digest()).isEqualTo(Contract.load().digest());
	}

	@ParameterizedTest
	@ValueSource(strings = { "contract: order-2.schema.json", "contract: [order.schema.json, order-2.schema.json]",
			"contract: order.schema.json, formats: annotate", "contract: order.schema.json, patterns: backtracking",
			"contract: order.schema.json, max-size: 256KB" })
	void digestsAllThatDecidesOnADocument(String other) throws IOException {
		Resource one = find("orders", read("resources: {orders: {contract: order.schema.json}}"));
		Resource another = find("orders", read("resources: {orders: {%s}}".formatted(other)));

		assertThat(another.sha256()).isNotEqualTo(one.sha256()).matches("[0-9a-f]{64}");
	}

	@Test
	void requiresAHeapForTheLargestDocumentOfEachResource() throws IOException {
		Resources resources = read("resources: {jobs: , orders: {contract: order.schema.json, max-size: 2MB}}");
		CheckBudget.require(resources, 127 << 20, 0);
		CheckBudget.require(resources, 1, 2 << 20);

		assertThatExceptionOfType(ResourcesException.class)
			.isThrownBy(() -> CheckBudget.require(resources, 100 << 20, 1 << 20))
			.withMessageContainingAll("'orders'", "2097152 bytes", "larger heap", "at most 1747626 bytes");
	}

	/** An alert compares them. */
	@Test
	void hasOneDigestInBothServices() throws IOException {
		Resource fromFile = find("orders",
				read("resources: {orders: {contract: order.schema.json, max-size: 1MB}, jobs: }"));
		this.settings.put("jobs.resources.orders.max-size", "1024KB");
		this.settings.put("max-size", "1KB");
		Resources other = read("resources: {orders: {contract: order.schema.json}, jobs: }");

		assertThat(find("orders", other).sha256()).isEqualTo(fromFile.sha256());
		assertThat(find("orders", other).withAtLeast(1 << 22).sha256()).isEqualTo(fromFile.sha256());
		assertThat(find("orders", other).contract().digest()).isEqualTo(fromFile.contract().digest());
		assertThat(find("jobs", other).maxSize()).isEqualTo(1024);
		this.settings.clear();
		assertThat(find("jobs", other).sha256()).isEqualTo(Resources.load(null, settings()).all().getFirst().sha256());
	}

	@Test
	void takesAnIdOfTheDocumentsOwn() throws IOException {
		Resource orders = find("orders", read("resources: {orders: {contract: order.schema.json}}"));
		byte[] withId = "{\"orderNumber\":1,\"title\":\"a\",\"id\":7}".getBytes();

		assertThatCode(() -> orders.contract().check(withId)).doesNotThrowAnyException();
		assertThatExceptionOfType(RefusedDocumentException.class).isThrownBy(() -> Contract.load().check(withId));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					resources: {orders: {contract: order.schema.json, colour: red}} | line 1, column 51 | has no key 'colour'
					resources: {orders: {contract: nothing.json}}                   | line 1, column 32 | nothing.json
					resources: {orders: {contract: ../order.schema.json}}           | line 1, column 32 | is no file in the folder
					resources: {operations: {contract: order.schema.json}}          | line 1, column 13 | no path of the services
					resources: {orders: {contract: order.schema.json, find-by: [/limit]}} | column 60 | parameters of every list
					resources: {orders: {}}                                         | line 1, column 13 | it has no contract
					resources: {Orders: {contract: order.schema.json}}              | line 1, column 13 | a resource has a name of
					resources: {actuator: {contract: order.schema.json}}            | line 1, column 13 | no path of the services
					resources: {contracts: {contract: order.schema.json}}           | line 1, column 13 | no path of the services
					resources: {a: {contract: order.schema.json}, a: {contract: order.schema.json}} | column 47 | stands twice
					resources: {orders: {contract: order.schema.json, max-size: 99GB}} | column 61 | no size from 1B to 16MB
					resources: {orders: {contract: order.schema.json, find-by: customer}} | column 60 | no JSON Pointer
					resources: {orders: {contract: order.schema.json, topic: 'a b'}} | column 58 | can't be its topic
					resources: {orders: {contract: order.schema.json, topic: [a, b]}} | column 58 | one value
					resources: {orders: {contract: order.schema.json, formats: no}} | column 60 | must be assert or annotate
					resources: {jobs: {formats: annotate}} | column 29 | this resource names none
					resources: {orders: {contract: order.schema.json, group: {a: b}}} | column 58 | must be a text
					resources: [orders]                                             | column 12 | must have keys
					resource: {orders: {contract: order.schema.json}}               | column 1 | has no key 'resource'
					resources: {}                                                   | resources.yaml | names 0 resources
					resources: {orders: {contract: order.schema.json                | line 2 | no YAML
					resources: {jobs: {topic: orders}, orders: {contract: order.schema.json}} | line 1, column 36 | the same topic orders
					resources: {a: {contract: order.schema.json, collection: c}, b: {contract: order.schema.json, collection: c}} | line 1, column 62 | the same collection c
					resources: {a: {contract: order.schema.json, topic: t, dead-letter-topic: t}} | line 1, column 13 | for two purposes
					""")
	void saysWhereAFaultIs(String text, String place, String reason) throws IOException {
		Files.writeString(this.folder.resolve("resources.yaml"), text + "\n");

		assertThatExceptionOfType(ResourcesException.class).isThrownBy(() -> load("file:"))
			.withMessageContaining(place)
			.withMessageContaining(reason);
	}

	/** Without a file, too: such a dead letter would be a job, and be refused again. */
	@ParameterizedTest
	@CsvSource({ "topic, jobs-topic1-dlt, topic jobs-topic1-dlt", "dead-letter-topic, jobs-topic1, topic jobs-topic1",
			"collection, deadLetters, collection deadLetters", "dead-letter-collection, jobs, collection jobs" })
	void refusesOneNameForTwoPurposesOfTheJobs(String key, String value, String name) {
		this.settings.put("jobs.resources.jobs." + key, value);

		assertThatExceptionOfType(ResourcesException.class).isThrownBy(() -> Resources.load(null, settings()))
			.withMessage("the resource 'jobs': it has the %s for two purposes", name);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			x: {}                                | x-dlt: {}                    | topic x-dlt
			x: {topic: x.y}                      | y: {topic: x_y}              | topic x_y
			x: {dead-letter-topic: y}            | y: {}                        | topic y
			x: {dead-letter-collection: y}       | y: {}                        | collection y
			x: {}                                | y: {collection: x.deadLetters} | collection x.deadLetters
			x: {}                                | x-dead-letters: {}           | group x-dead-letters
			y: {}                                | x: {group: y-dead-letters}   | group y-dead-letters
			x: {group: y-dead-letters}           | y: {}                        | group y-dead-letters
			x: {}                                | x-stored: {}                 | group x-stored
			jobs: {}                             | group-id-1: {}               | group group-id-1
			jobs: {}                             | jobs-topic1-dlt: {}          | topic jobs-topic1-dlt
			jobs: {}                             | x: {collection: deadLetters} | collection deadLetters
			""")
	void refusesTwoResourcesWhoseNamesMeet(String one, String other, String name) {
		String text = "resources:\n  %s\n  %s\n".formatted(one, other)
			.replace("{}", "{contract: order.schema.json}")
			.replace("{", "{contract: order.schema.json, ")
			.replace("order.schema.json, contract: order.schema.json", "order.schema.json");

		assertThatExceptionOfType(ResourcesException.class).isThrownBy(() -> read(text))
			.withMessageContaining("line 3, column 3")
			.withMessageContaining("the same " + name + " as '" + one.replaceFirst(":.*", "'"));
	}

	@Test
	void namesWhatEachHasByNamesThatNeverMeet() throws IOException {
		Resources resources = read("""
				resources:
				  jobs:
				  x: {contract: order.schema.json}
				  dead-letters-x: {contract: order.schema.json}
				  x-dead-letters: {contract: order.schema.json, group: g}
				""");

		assertThat(resources.all().stream().flatMap((one) -> Stream.of(one.named("a"), one.deadLettersNamed("a"))))
			.containsExactly("a", "a.dead-letters", "a-x", "a-x.dead-letters", "a-dead-letters-x",
					"a-dead-letters-x.dead-letters", "a-x-dead-letters", "a-x-dead-letters.dead-letters");
	}

	@Test
	void hasUpToSixteenResources() throws IOException {
		StringBuilder text = new StringBuilder("resources:\n");
		for (int i = 0; i < Resources.MAX_RESOURCES; i++) {
			text.append("  r%d: {contract: order.schema.json}\n".formatted(i));
		}
		assertThat(read(text.toString()).all()).hasSize(16);

		text.append("  more: {contract: order.schema.json}\n");
		assertThatExceptionOfType(ResourcesException.class).isThrownBy(() -> read(text.toString()))
			.withMessageContaining("17 resources");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "http://localhost/resources.yaml", "classpath:/resources.yaml", "file:" })
	void takesFilesAlone(String location) {
		assertThatExceptionOfType(ResourcesException.class).isThrownBy(() -> Resources.load(location, settings()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "file:", "file://" })
	void takesAPathInAnyForm(String before) throws IOException {
		Files.writeString(this.folder.resolve("resources.yaml"), "resources: {orders: {contract: order.schema.json}}");

		assertThat(load(before).names()).containsExactly("orders");
	}

	private static Resource find(String name, Resources resources) {
		return Objects.requireNonNull(resources.find(name));
	}

	private Resources read(String text) throws IOException {
		Files.writeString(this.folder.resolve("resources.yaml"), text);
		return load("file:");
	}

	private Resources load(String before) {
		return Resources.load(before + this.folder.resolve("resources.yaml"), settings());
	}

	private ResourceSettings settings() {
		return new ResourceSettings(this.settings::get, this.settings::get, "256KB");
	}

}
