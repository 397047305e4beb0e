package jobs.kafkatomongo.erasure;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.chassis.kafka.KafkaTopics;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.TestBackends;
import jobs.kafkatomongo.pipeline.Pipelines;
import jobs.testkit.Backends;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.bson.BsonDocument;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What was erased is nowhere in MongoDB, and nothing that Kafka still has brings it back.
 */
@SpringBootTest
@AutoConfigureMockMvc
@Import(TestBackends.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ErasuresControllerTests {

	private static final String TOPIC = "jobs-" + UUID.randomUUID();

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private Pipelines pipelines;

	private MongoCollection<BsonDocument> collection;

	@Autowired
	private MongoDatabaseFactory mongo;

	@Autowired
	private KafkaTopics topics;

	@Autowired
	private MeterRegistry meters;

	@DynamicPropertySource
	static void ownNames(DynamicPropertyRegistry registry) {
		registry.add("kafka-to-mongo.topic", () -> TOPIC);
		registry.add("kafka-to-mongo.dead-letter-topic", () -> TOPIC + "-dlt");
		registry.add("spring.kafka.consumer.group-id", () -> TOPIC);
	}

	@BeforeEach
	void awaitTopics() {
		this.collection = Records.collection(this.pipelines);
		await(() -> assertThat(this.topics.health().getStatus()).isEqualTo(Status.UP));
	}

	@Test
	void keepsRecordsOfAnErasedJobOut() {
		publish("jane", "{\"title\":\"Jane\"}");
		await(() -> assertThat(this.mvc.get().uri("/jobs/jane")).hasStatusOk());
		double before = keptOut();

		JsonNode answer = erase("jane");

		assertThat(answer.get("erased").asBoolean()).isTrue();
		assertThat(answer.get("deadLetters").asInt()).isZero();
		assertThat(this.mvc.get().uri("/jobs/jane")).hasStatus(410)
			.bodyJson()
			.extractingPath("$.detail")
			.asString()
			.startsWith("This job was erased at 20");
		// the same record, other fields, and other bytes for the same fields
		publish("jane", "{\"title\":\"Jane\"}");
		publish("jane", "{\"title\":\"Jane Doe\"}");
		publish("jane", "{ \"title\": \"Jane\" }");
		await(() -> assertThat(keptOut()).isEqualTo(before + 3));
		assertThat(this.mvc.get().uri("/jobs/jane")).hasStatus(410);
		assertThat(documents()).noneSatisfy((document) -> assertThat(document).contains("Jane"));
		assertThat(get("/jobs").get("jobs").findValuesAsString("id")).doesNotContain("jane");
		assertThat(get("/dead-letters?job=jane").get("deadLetters")).isEmpty();
		assertThat(erase("jane").get("erased").asBoolean()).isFalse();
	}

	@Test
	void erasesAJobBeforeItIsStored() {
		assertThat(erase("not#yet").get("erased").asBoolean()).isFalse();
		double before = keptOut();

		publish("not#yet", "{\"title\":\"Later\"}");

		await(() -> assertThat(keptOut()).isEqualTo(before + 1));
		assertThat(this.mvc.get().uri("/jobs/{id}", "not#yet")).hasStatus(410);
	}

	/** They would be dead letters, and stay in their topic for ever. */
	@Test
	void keepsRecordsOutThatAreNoJobs() {
		erase("bad");
		double before = keptOut();

		publish("bad", "nonsense");
		publish("bad", "{\"title\":7}");

		await(() -> assertThat(keptOut()).isEqualTo(before + 2));
		assertThat(get("/dead-letters?job=bad").get("deadLetters")).isEmpty();
	}

	@Test
	void erasesDeadLettersInAnyState() {
		publish("john", "{\"title\":7,\"name\":\"John\"}");
		publish("john", "{\"title\":8,\"name\":\"John\"}");
		publish("john", "{\"title\":9,\"name\":\"John\"}");
		await(() -> assertThat(get("/dead-letters?job=john").get("deadLetters")).hasSize(3));
		List<String> ids = get("/dead-letters?job=john").get("deadLetters").findValuesAsString("id");
		assertThat(this.mvc.delete().uri("/dead-letters/{id}?note=John%20asked", ids.getFirst())).hasStatus(204);

		JsonNode answer = erase("john");

		assertThat(answer.get("deadLetters").asInt()).isEqualTo(3);
		assertThat(answer.get("hasMore").asBoolean()).isFalse();
		assertThat(documents()).noneSatisfy((document) -> assertThat(document).contains("John"));
		for (String id : ids) {
			JsonNode mark = get("/dead-letters/{id}", id);
			assertThat(mark.get("state").asString()).isEqualTo("erased");
			assertThat(mark.has("value")).isFalse();
			assertThat(mark.get("history")).singleElement()
				.satisfies((entry) -> assertThat(entry.get("action").asString()).isEqualTo("erased"));
			assertThat(this.mvc.post().uri("/dead-letters/{id}/replay", id)).hasStatus(410);
			assertThat(this.mvc.delete().uri("/dead-letters/{id}", id)).hasStatus(410);
		}
		assertThat(get("/dead-letters?state=erased").get("deadLetters")).hasSizeGreaterThanOrEqualTo(3);
	}

	@Test
	void tellsUntilWhenKafkaHasRecords() {
		List<JsonNode> remains = new ArrayList<>();
		await(() -> {
			remains.clear();
			erase("anyone").get("kafka").forEach(remains::add);
			assertThat(remains).noneMatch((one) -> one.get("until").asString().equals("unknown"));
		});

		assertThat(remains).extracting((one) -> one.get("topic").asString()).containsExactly(TOPIC, TOPIC + "-dlt");
		assertThat(remains.getFirst().get("until").asString()).matches("20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
		assertThat(remains.getLast().get("until").asString()).isEqualTo("for ever");
	}

	@Test
	void erasesAJobWhoseIdNoPathCanHave() {
		String id = "a\0b";
		publish(id, "{\"title\":\"Odd\"}");
		await(() -> assertThat(this.mvc.get().uri("/jobs?id={id}", id)).hasStatusOk());

		assertThat(this.mvc.delete().uri("/jobs?id={id}", id)).hasStatusOk();

		assertThat(this.mvc.get().uri("/jobs?id={id}", id)).hasStatus(410);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/jobs", "/jobs?id=", "/jobs?id=a&id=b", "/jobs?id=a&limit=1", "/jobs/a?id=b",
			"/jobs/a?note=a%0Ab" })
	void erasesNothingThatIsNotMeant(String address) {
		MvcTestResult answer = this.mvc.delete().uri(URI.create(address)).exchange();

		assertThat(answer.getResponse().getStatus()).isIn(400, 405);
		assertThat(this.mvc.get().uri("/jobs/a")).hasStatus(404);
	}

	@Test
	void refusesAPageOfAnotherSite() {
		assertThat(this.mvc.delete().uri("/jobs/a").header("Origin", "https://evil.example")).hasStatus(403);
	}

	@Test
	void saysWhereMongoDbTakesNoMark() {
		this.collection.deleteMany(new BsonDocument());
		this.collection.createIndex(Indexes.ascending("only"), new IndexOptions().unique(true));
		try {
			erase("first");

			assertThat(this.mvc.delete().uri("/jobs/second")).hasStatus(409)
				.bodyJson()
				.extractingPath("$.detail")
				.asString()
				.startsWith("MongoDB does not take the mark");
		}
		finally {
			this.collection.dropIndex(Indexes.ascending("only"));
			this.collection.deleteOne(Filters.eq("_id", "first"));
		}
	}

	private JsonNode erase(String id) {
		MvcTestResult answer = this.mvc.delete().uri("/jobs/{id}", id).exchange();
		assertThat(answer).hasStatusOk();
		return json(answer);
	}

	private double keptOut() {
		return this.meters.counter("jobs.kept.out").count();
	}

	private List<String> documents() {
		List<String> documents = new ArrayList<>();
		this.collection.find().forEach((document) -> documents.add(document.toJson()));
		this.mongo.getMongoDatabase()
			.getCollection("deadLetters", BsonDocument.class)
			.find()
			.forEach((document) -> documents.add(document.toJson()));
		return documents;
	}

	private JsonNode get(String address, Object... values) {
		return json(this.mvc.get().uri(address, values).exchange());
	}

	private static JsonNode json(MvcTestResult answer) {
		return new JsonMapper().readTree(answer.getResponse().getContentAsByteArray());
	}

	private static void publish(String key, String value) {
		try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", Backends.get().kafka()), new ByteArraySerializer(),
				new ByteArraySerializer())) {
			producer.send(new ProducerRecord<>(TOPIC, Records.utf8(key), Records.utf8(value)));
		}
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(60, TimeUnit.SECONDS).untilAsserted(assertion);
	}

}
