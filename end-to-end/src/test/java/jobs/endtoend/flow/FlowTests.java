package jobs.endtoend.flow;

import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.model.Filters;
import jobs.endtoend.pair.Pair;
import jobs.endtoend.pair.Postings;
import jobs.testkit.Backends;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A job that is POSTed is a document in MongoDB, once.
 */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FlowTests {

	private static final Pair PAIR = new Pair();

	@BeforeAll
	static void start() {
		PAIR.start();
	}

	@AfterAll
	static void stop() {
		PAIR.close();
	}

	@BeforeEach
	void awaitAnEmptyPipe() {
		await(() -> assertThat(PAIR.lag()).isZero());
		PAIR.documents().deleteMany(new BsonDocument());
	}

	@Test
	void storesAPostedJobAndGivesItBackAtItsLocation() throws Exception {
		String job = "{\"title\":\"Engineer\",\"description\":\"Builds it\",\"company\":\"Acme\",\"salary\":\"$10,000\"}";

		HttpResponse<String> accepted = PAIR.post(job);
		assertThat(accepted.statusCode()).isEqualTo(202);
		String location = accepted.headers().firstValue("Location").orElseThrow();
		HttpResponse<String> stored = PAIR.get(URI.create(location), "Prefer", "wait=10");

		assertThat(stored.statusCode()).isEqualTo(200);
		String id = Postings.json(accepted.body()).get("id").asString();
		assertThat(Postings.json(stored.body()).get("id").asString()).isEqualTo(id);
		assertThat(Postings.same(job, document(id))).isTrue();
	}

	@Test
	void storesTheMessageOfTheTutorial() {
		String job = "{\"title\":\"Tutorial\",\"description\":\"d\",\"company\":\"c\",\"salary\":\"s\"}";
		try (KafkaProducer<String, String> producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", Backends.get().kafka()), new StringSerializer(), new StringSerializer())) {
			producer.send(new ProducerRecord<>(PAIR.topic, job));
		}

		await(() -> assertThat(documents()).singleElement()
			.satisfies((document) -> assertThat(Postings.same(job, document)).isTrue()));
	}

	@Test
	void storesRealPostingsFieldByField() throws Exception {
		List<String> postings = Postings.lines();

		List<JsonNode> outcomes = outcomes(PAIR.upload(Postings.ndjson(postings)));

		assertThat(outcomes).hasSize(postings.size())
			.allSatisfy((outcome) -> assertThat(outcome.get("status").asInt()).isEqualTo(202));
		await(() -> assertThat(documents()).hasSize(postings.size()));
		for (JsonNode outcome : outcomes) {
			String posting = postings.get(outcome.get("line").asInt() - 1);
			assertThat(Postings.same(posting, document(outcome.get("id").asString()))).as(posting).isTrue();
		}
	}

	/**
	 * In the 128 MiB of heap that each service has here: as a tree of objects such a job
	 * is thirty times as large as its JSON.
	 */
	@Test
	@Tag("long")
	void storesManyJobsOfVeryManySmallValues() throws Exception {
		String job = "{\"title\":\"many\",\"x\":[{}" + ",{}".repeat(87_000) + "]}";

		List<JsonNode> outcomes = outcomes(PAIR.upload(Postings.ndjson(Collections.nCopies(40, job))));

		assertThat(outcomes).hasSize(40)
			.allSatisfy((outcome) -> assertThat(outcome.get("status").asInt()).isEqualTo(202));
		await(() -> assertThat(PAIR.documents().countDocuments()).isEqualTo(40));
		// a busy stand-in takes longer than a read may, and goes on with it. Two of these
		// at once are all its memory
		Awaitility.await()
			.atMost(2, TimeUnit.MINUTES)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofSeconds(15))
			.untilAsserted(() -> assertThat(
					PAIR.get(URI.create("http://127.0.0.1:%d/jobs?limit=40".formatted(PAIR.readPort))).statusCode())
				.isEqualTo(200));
		assertThat(PAIR.kafkaToMongo.isAlive()).isTrue();
	}

	@Test
	@Tag("long")
	void storesWhatWasAcceptedWhileTheSecondServiceWasDown() throws Exception {
		PAIR.kafkaToMongo.close();
		Set<String> ids = new HashSet<>();
		for (int i = 0; i < 1000; i++) {
			HttpResponse<String> answer = PAIR.post("{\"title\":\"job %d\"}".formatted(i));
			assertThat(answer.statusCode()).isEqualTo(202);
			ids.add(Postings.json(answer.body()).get("id").asString());
		}
		assertThat(documents()).isEmpty();

		PAIR.kafkaToMongo.start();

		await(() -> assertThat(ids()).isEqualTo(ids));
	}

	@Test
	@Tag("long")
	void changesNothingWhenTheWholeTopicIsReplayed() throws Exception {
		PAIR.upload(Postings.ndjson(Postings.lines()));
		await(() -> assertThat(PAIR.lag()).isZero());
		replay();
		List<BsonDocument> before = documents();

		replay();

		assertThat(documents()).containsExactlyInAnyOrderElementsOf(before);
		assertThat(before).hasSizeGreaterThanOrEqualTo(Postings.lines().size());
	}

	@Test
	void makesOneDocumentOfOneKeySentAHundredTimesAtOnce() throws Exception {
		String key = UUID.randomUUID().toString();
		List<Callable<HttpResponse<String>>> requests = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			requests.add(() -> PAIR.post("{\"title\":\"once\"}", "Idempotency-Key", key));
		}
		Set<String> ids = new HashSet<>();
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
			for (Future<HttpResponse<String>> answer : threads.invokeAll(requests)) {
				assertThat(answer.get().statusCode()).isEqualTo(202);
				ids.add(Postings.json(answer.get().body()).get("id").asString());
			}
		}

		await(() -> assertThat(PAIR.lag()).isZero());

		assertThat(ids).hasSize(1);
		assertThat(ids()).isEqualTo(ids);
	}

	@Test
	void putsASecondJobWithTheSameKeyAmongTheDeadLetters() throws Exception {
		String key = UUID.randomUUID().toString();
		String id = Postings.json(PAIR.post("{\"title\":\"first\"}", "Idempotency-Key", key).body())
			.get("id")
			.asString();
		await(() -> assertThat(ids()).contains(id));

		PAIR.post("{\"title\":\"second\"}", "Idempotency-Key", key);

		await(() -> assertThat(PAIR.deadLetters())
			.filteredOn((record) -> new String(record.key(), StandardCharsets.UTF_8).equals(id))
			.singleElement()
			.satisfies((record) -> {
				assertThat(new String(record.value(), StandardCharsets.UTF_8)).isEqualTo("{\"title\":\"second\"}");
				assertThat(new String(record.headers().lastHeader("dlt-reason").value(), StandardCharsets.UTF_8))
					.isEqualTo("conflict");
			}));
		assertThat(documents()).extracting((document) -> document.getString("title").getValue())
			.containsExactly("first");
	}

	private static List<JsonNode> outcomes(HttpResponse<String> answer) {
		return answer.body().lines().map(Postings::json).toList();
	}

	@ParameterizedTest
	@CsvSource({ "https://acme/1,https:%2F%2Facme%2F1", "a\\1,a%5C1", "a#1,a%231" })
	void findsAJobWhoseIdIsNoPlainSegment(String id, String encoded) throws Exception {
		URI job = URI.create("http://127.0.0.1:%d/jobs/%s".formatted(PAIR.readPort, encoded));
		assertThat(PAIR.get(job).statusCode()).isEqualTo(404);

		PAIR.documents()
			.insertOne(new BsonDocument("_id", new BsonString(id)).append("title", new BsonString("odd id")));

		assertThat(PAIR.get(job).body()).contains("odd id");
	}

	/** Else a part that is down would leave the readiness as it is. */
	@Test
	void asksEachPartForItsReadiness() throws Exception {
		assertThat(readiness(PAIR.port)).contains("kafka");
		assertThat(readiness(PAIR.readPort)).contains("kafka", "listener", "mongo");
	}

	private static Collection<String> readiness(int port) throws Exception {
		URI address = URI.create("http://127.0.0.1:%d/actuator/health/readiness".formatted(port));
		return Postings.json(PAIR.get(address).body()).get("components").propertyNames();
	}

	@Test
	void refusesAQueryThatCannotBeRead() throws Exception {
		HttpResponse<String> refused = PAIR
			.get(URI.create("http://127.0.0.1:%d/jobs?company=%%FF".formatted(PAIR.readPort)));

		assertThat(refused.statusCode()).isEqualTo(400);
		assertThat(Postings.json(refused.body()).get("detail").asString()).startsWith("The query");
	}

	/**
	 * Lets the second service read the topic from the beginning. The first replay of a
	 * test also brings back what tests before it have deleted.
	 */
	private static void replay() throws Exception {
		PAIR.kafkaToMongo.close();
		PAIR.replay();
		PAIR.kafkaToMongo.start();
		await(() -> assertThat(PAIR.lag()).isZero());
	}

	private static BsonDocument document(String id) {
		return Objects.requireNonNull(PAIR.documents().find(Filters.eq("_id", id)).first());
	}

	private static List<BsonDocument> documents() {
		return PAIR.documents().find().into(new ArrayList<>());
	}

	private static Set<String> ids() {
		return PAIR.documents().find().map((document) -> document.getString("_id").getValue()).into(new HashSet<>());
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(60, TimeUnit.SECONDS).untilAsserted(assertion);
	}

}
