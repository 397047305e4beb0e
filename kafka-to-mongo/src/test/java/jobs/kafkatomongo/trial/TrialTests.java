package jobs.kafkatomongo.trial;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import jobs.chassis.kafka.KafkaTopics;
import jobs.kafkatomongo.TestBackends;
import jobs.testkit.Backends;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a new contract would do is told before it does it, and nothing is written.
 */
@SpringBootTest
@Import(TestBackends.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TrialTests {

	private static final String ID = UUID.randomUUID().toString();

	private static final String ORDERS = "orders-" + ID;

	private static final String CLOSED = "{\"number\":1,\"lines\":[{}],\"state\":\"closed\"}";

	@TempDir
	private static Path folder;

	@Autowired
	private MongoDatabaseFactory mongo;

	@Autowired
	private MongoConnectionDetails server;

	@Autowired
	private KafkaTopics topics;

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	private final ByteArrayOutputStream err = new ByteArrayOutputStream();

	@DynamicPropertySource
	static void resources(DynamicPropertyRegistry registry) throws IOException {
		write("order-1.schema.json", "{\"required\":[\"number\"]}");
		write("order-2.schema.json", """
				{"required": ["number"], "properties": {"total": {"const": 0.1234567890123456789},
				"lines": {"items": {"required": ["sku"]}}, "state": {"$ref": "state.schema.json"}}}
				""");
		write("state.schema.json", "{\"enum\":[\"open\"]}");
		write("loose.schema.json", "true");
		write("broken.schema.json", "{\"pattern\":");
		write("resources.yaml", """
				resources:
				  orders:
				    contract: order-1.schema.json
				    topic: orders-%1$s
				    group: orders-%1$s
				  events:
				    contract: order-1.schema.json
				    topic: events-%1$s
				    group: events-%1$s
				""".formatted(ID));
		registry.add("jobs.resources", () -> "file:" + folder.resolve("resources.yaml"));
	}

	private static void write(String file, String text) throws IOException {
		Files.writeString(folder.resolve(file), text);
	}

	@BeforeEach
	void store() {
		await(() -> this.topics.health().getStatus().equals(Status.UP));
		publish("good", "{\"number\":1,\"id\":7,\"total\":0.12345678901234567890,\"lines\":[{\"sku\":\"a\"}]}");
		publish("without-sku", "{\"number\":1,\"lines\":[{\"sku\":\"a\"},{}]}");
		publish("closed", CLOSED);
		String dead = "dead-" + UUID.randomUUID();
		publish(dead, "{\"state\":\"open\"}");
		await(() -> database().getCollection("orders").countDocuments() == 3
				&& database().getCollection("orders.deadLetters").countDocuments(Filters.eq("job", dead)) == 1);
	}

	@Test
	void findsWhatANewContractWouldRefuse() {
		assertThat(run("--json", "--resource", "orders", file("order-2"))).isEqualTo(1);

		JsonNode outcome = JsonMapper.shared().readTree(out());
		assertThat(outcome.get("resource").asString()).isEqualTo("orders");
		assertThat(outcome.has("records")).isFalse();
		JsonNode documents = outcome.get("documents");
		assertThat(documents.get("read").asInt()).isEqualTo(3);
		assertThat(documents.get("passed").asInt()).isEqualTo(1);
		assertThat(documents.get("refused").asInt()).isEqualTo(2);
		assertThat(documents.get("since").asString()).matches("20\\d\\d-.*Z");
		assertThat(documents.at("/kinds/0/pointer").asString()).isEqualTo("/lines/*/sku");
		assertThat(documents.at("/kinds/0/examples")).map(JsonNode::asString)
			.containsExactlyInAnyOrder("without-sku", "closed");
		assertThat(documents.at("/kinds/1/pointer").asString()).isEqualTo("/state");
		assertThat(documents.at("/kinds/1/examples/0").asString()).isEqualTo("closed");
		assertThat(err()).startsWith("Connecting ...");
	}

	@Test
	void tellsItInWordsAsWell() {
		assertThat(run("--resource=orders")).isEqualTo(2);
		assertThat(run("--resource", "orders", file("order-2"))).isEqualTo(1);

		assertThat(out()).contains("orders: 2 of 3 stored documents would be refused, accepted from 20",
				"  /lines/*/sku ", ": 2, such as ", "0 of ", " open dead letters would pass now");
	}

	@Test
	void countsTheDeadLettersThatWouldPass() {
		assertThat(run("--json", "--resource", "orders", file("loose"))).isZero();

		JsonNode deadLetters = JsonMapper.shared().readTree(out()).get("deadLetters");
		assertThat(deadLetters.get("passed").asInt()).isPositive().isEqualTo(deadLetters.get("read").asInt());
		database().getCollection("orders.deadLetters")
			.updateMany(Filters.empty(), new Document("$set", new Document("state", "discarded")));
		assertThat(run("--json", "--resource", "orders", file("loose"))).isZero();
		assertThat(JsonMapper.shared().readTree(out()).at("/deadLetters/read").asInt()).isZero();
	}

	@Test
	void readsTheLastRecords() {
		IntStream.range(0, 20).forEach((_) -> publish("closed", CLOSED));

		assertThat(run("--json", "--resource", "orders", "--records", "6", file("order-2"))).isEqualTo(1);
		assertThat(JsonMapper.shared().readTree(out()).at("/records/read").asInt()).isEqualTo(6);
		assertThat(run("--json", "--resource", "orders", "--records", "100000", file("order-2"))).isEqualTo(1);
		JsonNode all = JsonMapper.shared().readTree(out()).get("records");
		assertThat(all.get("read").asInt()).isGreaterThanOrEqualTo(24);
		assertThat(all.get("passed").asInt()).isPositive();
		assertThat(all.get("refused").asInt()).isGreaterThanOrEqualTo(20);
		assertThat(all.at("/kinds/0/examples/0").asString()).isIn("closed", "without-sku");
	}

	@Test
	void readsACollectionOfManyQueriesAndNoTombstone() {
		List<Document> many = new ArrayList<>();
		IntStream.range(0, 1500).forEach((i) -> many.add(new Document("_id", "event-" + i).append("number", i)));
		many.add(new Document("_id", "x-erased").append("_meta", new Document("erasedAt", new Date())));
		many.add(new Document("_id", "y-large").append("text", "x".repeat(2_000_000)));
		database().getCollection("events").insertMany(many);

		assertThat(run("--json", "--resource", "events", file("order-2"))).isEqualTo(1);

		JsonNode documents = JsonMapper.shared().readTree(out()).get("documents");
		assertThat(documents.get("read").asInt()).isEqualTo(1501);
		assertThat(documents.at("/kinds/0/examples")).map(JsonNode::asString).containsExactly("y-large");
	}

	@Test
	void writesNothing() throws Exception {
		AtomicReference<List<String>> before = new AtomicReference<>(List.of());
		Awaitility.await().pollInterval(Duration.ofSeconds(2)).atMost(Duration.ofSeconds(60)).until(() -> {
			List<String> now = state();
			return now.equals(before.getAndSet(now)) && hasCommittedAll();
		});

		assertThat(run("--resource", "orders", "--records", "10", file("order-2"))).isEqualTo(1);

		assertThat(state()).isEqualTo(before.get());
	}

	@ParameterizedTest
	@CsvSource({ "'', one file", "--nope, there is no option '--nope'", "--records many, is none",
			"--resource none loose.schema.json, no resource 'none'", "loose.schema.json, there are several resources",
			"--resource orders broken.schema.json, broken.schema.json",
			"--resource orders none.schema.json, There is no file",
			"--resource orders loose.schema.json --spring.mongodb.uri=mongodb://127.0.0.1:1/db, does not answer",
			"--resource orders loose.schema.json --records 1 --spring.kafka.bootstrap-servers=127.0.0.1:1, Kafka",
			"--resource orders loose.schema.json --kafka-to-mongo.partitions=x, kafka-to-mongo.partitions" })
	@Timeout(15)
	void endsWithASentenceWhereItCannotBeMade(String words, String sentence) {
		String[] arguments = Stream.of(words.split(" "))
			.filter((word) -> !word.isEmpty())
			.map((word) -> word.endsWith(".json") ? folder.resolve(word).toString() : word)
			.toArray(String[]::new);

		assertThat(run(arguments)).isEqualTo(2);

		assertThat(err().lines().toList()).last().asString().startsWith("try-contract: ").contains(sentence);
		assertThat(err()).doesNotContain("\tat ");
		assertThat(out()).isEmpty();
	}

	/** Each ten seconds kafka-to-mongo notes how far documents are stored. */
	private static boolean hasCommittedAll() throws Exception {
		try (Admin admin = Admin.create(Map.of("bootstrap.servers", Backends.get().kafka()))) {
			for (GroupListing group : admin.listGroups().all().get(10, TimeUnit.SECONDS)) {
				Map<TopicPartition, OffsetAndMetadata> committed = committed(admin, group.groupId());
				Map<TopicPartition, OffsetSpec> latest = committed.keySet()
					.stream()
					.collect(Collectors.toMap((partition) -> partition, (_) -> OffsetSpec.latest()));
				Map<TopicPartition, ListOffsetsResultInfo> ends = admin.listOffsets(latest)
					.all()
					.get(10, TimeUnit.SECONDS);
				if (committed.entrySet()
					.stream()
					.anyMatch((one) -> one.getValue() != null
							&& one.getValue().offset() != Objects.requireNonNull(ends.get(one.getKey())).offset())) {
					return false;
				}
			}
			return true;
		}
	}

	/** Not of the topics of other tests, whose services may still run in this process. */
	private static Map<TopicPartition, OffsetAndMetadata> committed(Admin admin, String group) throws Exception {
		Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>(
				admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get(10, TimeUnit.SECONDS));
		committed.keySet().removeIf((partition) -> !partition.topic().contains(ID));
		return committed;
	}

	private List<String> state() throws Exception {
		List<String> state = new ArrayList<>();
		for (String name : database().listCollectionNames().into(new ArrayList<>()).stream().sorted().toList()) {
			state.add(name + " "
					+ database().getCollection(name).find().sort(new Document("_id", 1)).into(new ArrayList<>()));
			state.add(name + " " + database().getCollection(name).listIndexes().into(new ArrayList<>()));
		}
		try (Admin admin = Admin.create(Map.of("bootstrap.servers", Backends.get().kafka()))) {
			state.add(admin.listTopics().names().get(10, TimeUnit.SECONDS).stream().sorted().toList().toString());
			List<String> groups = admin.listGroups()
				.all()
				.get(10, TimeUnit.SECONDS)
				.stream()
				.map((group) -> group.groupId())
				.sorted()
				.toList();
			state.add(groups.toString());
			for (String group : groups) {
				state.add(group + " " + committed(admin, group));
			}
		}
		return state;
	}

	private int run(String... arguments) {
		this.out.reset();
		this.err.reset();
		List<String> all = new ArrayList<>(List.of("try-contract"));
		all.addAll(List.of(arguments));
		Map.of("--spring.mongodb.uri=", this.server.getConnectionString().toString(),
				"--spring.kafka.bootstrap-servers=", Backends.get().kafka(), "--jobs.resources=",
				folder.resolve("resources.yaml").toString())
			.forEach((name, value) -> {
				if (all.stream().noneMatch((argument) -> argument.startsWith(name))) {
					all.add(name + value);
				}
			});
		return TrialCommand.run(all.toArray(String[]::new), new PrintStream(this.out, true, StandardCharsets.UTF_8),
				new PrintStream(this.err, true, StandardCharsets.UTF_8));
	}

	private static String file(String contract) {
		return folder.resolve(contract + ".schema.json").toString();
	}

	private String out() {
		return this.out.toString(StandardCharsets.UTF_8);
	}

	private String err() {
		return this.err.toString(StandardCharsets.UTF_8);
	}

	private MongoDatabase database() {
		return this.mongo.getMongoDatabase();
	}

	private static void publish(String key, String value) {
		try (KafkaProducer<String, byte[]> producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", Backends.get().kafka()), new StringSerializer(),
				new ByteArraySerializer())) {
			producer.send(new ProducerRecord<>(ORDERS, key, value.getBytes(StandardCharsets.UTF_8)));
		}
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(30, TimeUnit.SECONDS).until(condition);
	}

}
