package jobs.kafkatomongo.pipeline;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.chassis.kafka.KafkaTopics;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.TestBackends;
import jobs.kafkatomongo.consumption.ListenerHealth;
import jobs.testkit.Backends;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each resource has its topic, its collections and its paths, and holds up no other.
 */
@SpringBootTest
@AutoConfigureMockMvc
@Import(TestBackends.class)
@ExtendWith(OutputCaptureExtension.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipelinesTests {

	private static final String ID = UUID.randomUUID().toString();

	private static final String JOBS = "jobs-" + ID;

	private static final String ORDERS = "orders-" + ID;

	private static final String EVENTS = "events-" + ID;

	@TempDir
	private static Path folder;

	@Autowired
	private Pipelines pipelines;

	@Autowired
	private KafkaTopics topics;

	@Autowired
	private MongoDatabaseFactory mongo;

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private MeterRegistry meters;

	@Autowired
	private ListenersHealth listeners;

	@DynamicPropertySource
	static void resources(DynamicPropertyRegistry registry) throws IOException {
		Files.writeString(folder.resolve("order-1.schema.json"),
				"{\"type\":\"object\",\"required\":[\"orderNumber\"],\"properties\":{\"lines\":{\"maxItems\":1}}}");
		Files.writeString(folder.resolve("job.schema.json"), "{\"type\":\"object\"}");
		Files.writeString(folder.resolve("order-2.schema.json"),
				"{\"type\":\"object\",\"required\":[\"orderNumber\",\"customer\"]}");
		Files.writeString(folder.resolve("resources.yaml"), """
				resources:
				  jobs:
				    contract: job.schema.json
				    find-by: [/level]
				    topic: jobs-%1$s
				    group: jobs-%1$s
				  orders:
				    contract: [order-1.schema.json, order-2.schema.json]
				    find-by: [/customer/name]
				    topic: orders-%1$s
				    group: orders-%1$s
				  events:
				    contract: order-1.schema.json
				    topic: events-%1$s
				    group: events-%1$s
				  dead-letters-events:
				    contract: order-1.schema.json
				    topic: others-%1$s
				    group: others-%1$s
				""".formatted(ID));
		registry.add("jobs.resources", () -> "file:" + folder.resolve("resources.yaml"));
		registry.add("kafka-to-mongo.max-back-off", () -> "1s");
	}

	@BeforeEach
	void awaitTopics() {
		await(() -> assertThat(this.topics.health().getStatus()).isEqualTo(Status.UP));
	}

	@Test
	void storesEachInItsOwnCollection() {
		publish(JOBS, "one", "{\"title\":\"a\"}");
		publish(ORDERS, "one", "{\"orderNumber\":1,\"id\":7}");

		await(() -> assertThat(stored("jobs", "one")).containsEntry("title", "a"));
		await(() -> assertThat(stored("orders", "one")).containsEntry("orderNumber", 1).containsEntry("id", 7));
		assertThat(this.mvc.get().uri("/orders/one")).hasStatusOk()
			.bodyText()
			.startsWith("{\"_id\": \"one\", \"orderNumber\": 1, \"id\": 7, \"_meta\": {");
		assertThat(this.mvc.get().uri("/jobs/one")).hasStatusOk().bodyText().startsWith("{\"id\": \"one\"");
	}

	@Test
	void givesEachListenerNamesOfItsOwn() {
		List<MessageListenerContainer> listeners = this.pipelines.resources()
			.all()
			.stream()
			.flatMap((one) -> this.pipelines.get(one, KafkaListenerEndpointRegistry.class)
				.getListenerContainers()
				.stream())
			.toList();

		assertThat(listeners).hasSize(8);
		assertThat(listeners).extracting(MessageListenerContainer::getListenerId).doesNotHaveDuplicates();
		assertThat(listeners).extracting((one) -> one.getContainerProperties().getClientId())
			.contains("kafka-to-mongo", "kafka-to-mongo.dead-letters", "kafka-to-mongo-dead-letters-events",
					"kafka-to-mongo-events.dead-letters")
			.doesNotHaveDuplicates();
	}

	@Test
	void takesARecordThatKeepsAnyOfItsContracts() {
		publish(ORDERS, "first", "{\"orderNumber\":1}");
		publish(ORDERS, "second", "{\"orderNumber\":1,\"customer\":{},\"lines\":[1,2]}");
		publish(ORDERS, "none", "{\"orderNumber\":1,\"lines\":[1,2]}");

		await(() -> assertThat(stored("orders", "first")).isNotNull());
		await(() -> assertThat(stored("orders", "second")).isNotNull());
		await(() -> assertThat(this.mvc.get().uri("/orders/dead-letters?job=none")).bodyText()
			.contains("\"reason\": \"contract\"", "customer"));
		assertThat(this.mvc.get().uri("/dead-letters?job=none")).bodyText().contains("\"deadLetters\":[]");
		assertThat(this.mvc.get().uri("/orders/none")).hasStatus(404)
			.bodyText()
			.contains("\"deadLetter\":\"/orders/dead-letters/", "This document is not stored");
	}

	@Test
	void findsDocumentsByTheFieldsOfTheFile() {
		publish(ORDERS, "ann", "{\"orderNumber\":1,\"customer\":{\"name\":\"Ann & Co\"}}");
		publish(ORDERS, "bob", "{\"orderNumber\":2,\"customer\":{\"name\":\"Bob\"}}");

		await(() -> assertThat(stored("orders", "bob")).isNotNull());
		assertThat(this.mvc.get().uri("/orders?customer.name={name}", "Ann & Co")).hasStatusOk()
			.bodyText()
			.contains("\"_id\": \"ann\"")
			.doesNotContain("bob");
		assertThat(this.mvc.get().uri("/orders?company=Ann")).hasStatus(400).bodyText().contains("customer.name");
		await(() -> assertThat(database().getCollection("orders").listIndexes())
			.anyMatch((index) -> index.toJson().contains("customer.name")));
	}

	@Test
	void findsDocumentsByANumberOrABoolean() {
		publish(JOBS, "senior", "{\"level\":3}");
		publish(JOBS, "text", "{\"level\":\"3\"}");
		publish(JOBS, "boolean", "{\"level\":true}");

		await(() -> assertThat(stored("jobs", "boolean")).isNotNull());
		assertThat(this.mvc.get().uri("/jobs?level=3")).hasStatusOk()
			.bodyText()
			.contains("\"senior\"", "\"text\"")
			.doesNotContain("\"boolean\"");
		assertThat(this.mvc.get().uri("/jobs?level=true")).bodyText().contains("\"boolean\"");
	}

	@Test
	void keepsWhatHeadersTell() {
		String digest = "0".repeat(64);
		publish(ORDERS, "event", "{\"orderNumber\":1}", Map.of("contract", digest, "ce_specversion", "1.0", "ce_id",
				"e €", "ce_source", "/s", "ce_type", "t", "ce_BAD", "x"));
		publish(ORDERS, "plain", "{\"orderNumber\":1}", Map.of("contract", "no digest", "ce_id", "e"));

		await(() -> assertThat(Objects.requireNonNull(stored("orders", "event")).get("_meta", Document.class))
			.containsEntry("contract", digest)
			.containsEntry("cloudEvent",
					new Document(Map.of("id", "e €", "source", "/s", "specversion", "1.0", "type", "t"))));
		await(() -> assertThat(Objects.requireNonNull(stored("orders", "plain")).get("_meta", Document.class))
			.doesNotContainKeys("contract", "cloudEvent"));
	}

	@Test
	void replaysWhatWouldPassNow() {
		publish(ORDERS, "refused", "{\"orderNumber\":1,\"lines\":[1,2]}");
		await(() -> assertThat(this.mvc.get().uri("/orders/dead-letters?job=refused&state=open")).bodyText()
			.contains("\"refused\""));
		database().getCollection("orders.deadLetters")
			.updateOne(Filters.eq("job", "refused"),
					new Document("$set", new Document("value", "{\"orderNumber\":1}")));
		publish(ORDERS, "still", "{\"lines\":[1,2]}");
		await(() -> assertThat(this.mvc.get().uri("/orders/dead-letters?job=still&state=open")).bodyText()
			.contains("\"still\""));

		assertThat(this.mvc.post().uri("/orders/dead-letters/replays?passes=true&dry-run=true")).hasStatusOk()
			.bodyText()
			.contains("\"matched\":1");
		assertThat(this.mvc.delete().uri("/orders/dead-letters?passes=true")).hasStatus(400);
		assertThat(this.mvc.post().uri("/orders/dead-letters/replays?passes=true")).hasStatusOk()
			.bodyText()
			.contains("\"replayed\":1", "\"left\":0");

		await(() -> assertThat(stored("orders", "refused")).isNotNull());
		assertThat(this.mvc.get().uri("/orders/dead-letters?job=still&state=open")).bodyText().contains("\"still\"");
		assertThat(this.mvc.get().uri("/orders/dead-letters?job=refused&state=open")).bodyText()
			.contains("\"deadLetters\":[]");
	}

	/** The batch of one waits for ever, since its dead letter has no place. */
	@Test
	void holdsUpNoOtherResource(CapturedOutput output) throws Exception {
		ListenerHealth events = this.pipelines.get(resource("events"), ListenerHealth.class);
		setDeadLetterTopicOfEvents("1");
		publish(EVENTS, "poison", "nonsense");
		await(() -> assertThat(events.health().getStatus()).isEqualTo(Status.DOWN));

		publish(JOBS, "beside", "{\"title\":\"beside\"}");
		publish(ORDERS, "beside", "{\"orderNumber\":1}");

		await(() -> assertThat(stored("jobs", "beside")).isNotNull());
		await(() -> assertThat(stored("orders", "beside")).isNotNull());
		assertThat(this.listeners.health().getStatus()).isEqualTo(Status.UP);
		assertThat(this.listeners.health().getDetails()).containsKeys("listener", "listener-orders", "listener-events");
		assertThat(this.meters.get("jobs.back.off").tag("resource", "events").gauge().value()).isPositive();
		assertThat(this.meters.get("jobs.back.off").tag("resource", "jobs").gauge().value()).isZero();
		setDeadLetterTopicOfEvents("16777216");
		await(() -> assertThat(events.health().getStatus()).isEqualTo(Status.UP));
		await(() -> assertThat(output.toString().lines().filter((line) -> line.contains("resource=\"events\"")))
			.anyMatch((line) -> line.contains("A batch can't be stored now"))
			.anyMatch((line) -> line.contains("Storing again")));
	}

	private static void setDeadLetterTopicOfEvents(String bytes) throws Exception {
		ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, EVENTS + "-dlt");
		AlterConfigOp set = new AlterConfigOp(new ConfigEntry("max.message.bytes", bytes), AlterConfigOp.OpType.SET);
		try (Admin admin = Admin.create(Map.of("bootstrap.servers", Backends.get().kafka()))) {
			admin.incrementalAlterConfigs(Map.of(topic, List.of(set))).all().get(10, TimeUnit.SECONDS);
			await(() -> assertThat(Objects
				.requireNonNull(admin.describeConfigs(List.of(topic)).all().get(10, TimeUnit.SECONDS).get(topic))
				.get("max.message.bytes")
				.value()).isEqualTo(bytes));
		}
	}

	@Test
	void erasesADocument(CapturedOutput output) {
		publish(ORDERS, "erased", "{\"orderNumber\":1}");
		await(() -> assertThat(stored("orders", "erased")).isNotNull());

		assertThat(this.mvc.delete().uri("/orders/erased")).hasStatusOk().bodyText().contains(ORDERS);

		assertThat(this.mvc.get().uri("/orders/erased")).hasStatus(410);
		assertThat(output)
			.contains("event.action=\"job-erased\" source.ip=\"127.0.0.1\" jobs=\"erased\" resource=\"orders\"");
	}

	private Resource resource(String name) {
		return Objects.requireNonNull(this.pipelines.resources().find(name));
	}

	private MongoDatabase database() {
		return this.mongo.getMongoDatabase();
	}

	private @Nullable Document stored(String collection, String id) {
		return database().getCollection(collection).find(Filters.eq("_id", id)).first();
	}

	private static void publish(String topic, String key, String value) {
		publish(topic, key, value, Map.of());
	}

	private static void publish(String topic, String key, String value, Map<String, String> headers) {
		try (KafkaProducer<String, byte[]> producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", Backends.get().kafka()), new StringSerializer(),
				new ByteArraySerializer())) {
			ProducerRecord<String, byte[]> record = new ProducerRecord<>(topic, key,
					value.getBytes(StandardCharsets.UTF_8));
			headers.forEach((name, text) -> record.headers().add(name, text.getBytes(StandardCharsets.UTF_8)));
			producer.send(record);
		}
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(assertion);
	}

}
