package jobs.kafkatomongo.replay;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
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
import org.bson.BsonString;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.http.MediaType;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.RequestBuilder;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.test.web.servlet.request.RequestPostProcessor;
import org.springframework.web.filter.FormContentFilter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * What could not be stored can be looked at, corrected, replayed and discarded.
 */
@SpringBootTest
@AutoConfigureMockMvc
@Import(TestBackends.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeadLettersControllerTests {

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
	private ApplicationContext context;

	@DynamicPropertySource
	static void ownNames(DynamicPropertyRegistry registry) {
		registry.add("kafka-to-mongo.topic", () -> TOPIC);
		registry.add("kafka-to-mongo.dead-letter-topic", () -> TOPIC + "-dlt");
		registry.add("spring.kafka.consumer.group-id", () -> TOPIC);
		registry.add("kafka-to-mongo.console-hosts", () -> "jobs.example,other.example");
	}

	@BeforeEach
	void awaitTopics() {
		this.collection = Records.collection(this.pipelines);
		await(() -> assertThat(this.topics.health().getStatus()).isEqualTo(Status.UP));
	}

	@Test
	void showsADeadLetterWithItsReasonAndWhatItWas() {
		String key = publish("{\"title\":7,\"company\":\"Acme\"}");

		JsonNode deadLetter = deadLetter(key, "open");

		assertThat(deadLetter.get("id").asString()).matches(TOPIC + "#[0-5]#[0-9]+");
		assertThat(deadLetter.get("reason").asString()).isEqualTo("contract");
		assertThat(deadLetter.get("pointers").valueStream().map(JsonNode::asString)).containsExactly("/title");
		assertThat(deadLetter.get("value").asString()).isEqualTo("{\"title\":7,\"company\":\"Acme\"}");
		assertThat(deadLetter.get("firstSeen").asString()).isEqualTo(deadLetter.get("lastSeen").asString());
		assertThat(this.mvc.get().uri(deadLetter.get("href").asString().replace("%23", "#"))).hasStatus(404);
		assertThat(this.mvc.get().uri("/dead-letters/{id}", deadLetter.get("id").asString())).hasStatusOk()
			.bodyJson()
			.extractingPath("$.job")
			.isEqualTo(key);
	}

	@Test
	void keepsWhatIsNoTextAsBytes() {
		String key = UUID.randomUUID().toString();
		publish(key.getBytes(StandardCharsets.UTF_8), new byte[] { (byte) 0xff, 1 });

		assertThat(deadLetter(key, "open").at("/value/$binary/base64").asString()).isEqualTo("/wE=");
	}

	@Test
	void leadsFromAJobToItsDeadLetter() {
		String key = publish("nonsense");
		deadLetter(key, "open");

		MvcTestResult answer = this.mvc.get().uri("/jobs/{id}", key).exchange();

		assertThat(answer).hasStatus(404).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(answer).bodyJson().extractingPath("$.state").isEqualTo("open");
		assertThat(answer).bodyJson().extractingPath("$.detail").asString().contains("a dead letter: ");
		assertThat(answer).bodyJson().extractingPath("$.deadLetter").asString().startsWith("/dead-letters/" + TOPIC);
		assertThat(answer).bodyJson().extractingPath("$.reason").isEqualTo("not-json");
	}

	@Test
	void storesACorrectedJobOnceHoweverOftenItIsReplayed() {
		String key = publish("{\"company\":\"Acme\"}");
		JsonNode deadLetter = deadLetter(key, "open");

		for (int i = 0; i < 2; i++) {
			assertThat(replay(deadLetter, "{\"title\":\"corrected\",\"company\":\"Acme\"}")).hasStatus(202)
				.hasHeader("Location", "/jobs/" + key);
		}

		await(() -> assertThat(this.mvc.get().uri("/jobs/{id}", key)).hasStatusOk());
		await(() -> assertThat(lag()).isZero());
		assertThat(this.collection.find(new BsonDocument("title", new BsonString("corrected"))).into(new ArrayList<>()))
			.hasSize(1);
		JsonNode replayed = deadLetter(key, "replayed");
		assertThat(replayed.get("history").size()).isEqualTo(2);
		assertThat(replayed.at("/history/0/action").asString()).isEqualTo("corrected");
	}

	@Test
	void refusesACorrectionThatIsNoJob() {
		JsonNode deadLetter = deadLetter(publish("{\"company\":\"Acme\"}"), "open");

		assertThat(replay(deadLetter, "")).hasStatus(400);
		assertThat(this.mvc.post()
			.uri("/dead-letters/{id}/replay", deadLetter.get("id").asString())
			.contentType(MediaType.APPLICATION_FORM_URLENCODED)
			.content("{\"title\":\"a\"}")).hasStatus(415);
		assertThat(replay(deadLetter, "{\"title\":\" \"}")).hasStatus(400)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.extractingPath("$.errors[0].pointer")
			.isEqualTo("/title");
		assertThat(replay(deadLetter, "{\"title\":\"" + "x".repeat(1024 * 1024) + "\"}")).hasStatus(413);
		assertThat(this.mvc.get().uri("/dead-letters/{id}", deadLetter.get("id").asString())).bodyJson()
			.extractingPath("$.state")
			.isEqualTo("open");
	}

	@Test
	void makesADeadLetterThatIsReplayedUnchangedADeadLetterAgainWithItsHistory() {
		JsonNode deadLetter = deadLetter(publish("still nonsense"), "open");

		assertThat(replay(deadLetter)).hasStatus(202);

		JsonNode again = deadLetter(deadLetter.get("job").asString(), "open");
		assertThat(again.get("replayOf").asString()).isEqualTo(deadLetter.get("id").asString());
		assertThat(again.get("value").asString()).isEqualTo("still nonsense");
	}

	@Test
	void isNotLedByHeadersToMoreThanTheQuerySelects() {
		JsonNode deadLetter = deadLetter(publish("nonsense"), "open");

		assertThat(this.mvc.delete().uri("/dead-letters").header("State", "open")).hasStatus(400);
		assertThat(this.mvc.get()
			.uri("/dead-letters?job={job}", deadLetter.get("job").asString())
			.header("Reason", "mongodb")).bodyJson().extractingPath("$.deadLetters.length()").isEqualTo(1);
	}

	@Test
	void givesARecordWithoutAKeyTheIdOfItsPosition() {
		publish(null, "{\"note\":\"keyless\"}".getBytes(StandardCharsets.UTF_8));
		JsonNode deadLetter = awaitOne("/dead-letters?reason=contract&limit=100",
				(one) -> one.path("value").asString("").contains("keyless"));
		assertThat(deadLetter.get("job").asString()).isEqualTo(deadLetter.get("id").asString());

		replay(deadLetter, "{\"title\":\"keyless\"}");

		await(() -> assertThat(this.mvc.get().uri("/jobs/{id}", deadLetter.get("id").asString())).hasStatusOk());
	}

	@Test
	void discardsADeadLetterAndKeepsItAsARecord() {
		String key = publish("useless");
		JsonNode deadLetter = deadLetter(key, "open");

		assertThat(this.mvc.delete().uri("/dead-letters/{id}", deadLetter.get("id").asString())).hasStatus(204);

		assertThat(deadLetter(key, "discarded").at("/history/0/at").asString()).isNotEmpty();
		assertThat(this.mvc.delete().uri("/dead-letters/nope")).hasStatus(404);
	}

	@Test
	void keepsWhoDidWhatFromWhereAndWhy() {
		String key = publish("nonsense");
		String id = deadLetter(key, "open").get("id").asString();

		assertThat(this.mvc.post().uri("/dead-letters/{id}/replay?note={note}", id, "once more").with(ann()))
			.hasStatus(202);
		assertThat(this.mvc.delete().uri("/dead-letters/{id}?note={note}", id, "old & useless").with(ann()))
			.hasStatus(204);
		// once is enough
		assertThat(this.mvc.delete().uri("/dead-letters/{id}", id)).hasStatus(204);
		assertThat(this.mvc.delete().uri("/dead-letters?note=all&job={job}", key)).hasStatusOk();

		JsonNode history = awaitOne("/dead-letters?job=" + key, (one) -> one.get("id").asString().equals(id))
			.get("history");
		assertThat(history.size()).isEqualTo(2);
		assertThat(history.get(0).get("position").asString()).startsWith(TOPIC);
		assertThat(history.valueStream().map((one) -> one.get("action").asString())).containsExactly("replayed",
				"discarded");
		assertThat(history.valueStream().map((one) -> one.get("note").asString())).containsExactly("once more",
				"old & useless");
		assertThat(history.valueStream()).allSatisfy((one) -> {
			assertThat(one.get("by").asString()).isEqualTo("ann");
			assertThat(one.get("address").asString()).isEqualTo("10.1.2.3");
			assertThat(Instant.parse(one.get("at").asString())).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\nb", "\0" })
	void refusesANoteThatIsNoLineOfText(String note) {
		assertThat(this.mvc.delete().uri("/dead-letters/x?note={note}", note)).hasStatus(400);
		assertThat(this.mvc.delete().uri("/dead-letters?state=open&note={note}", note)).hasStatus(400);
		assertThat(this.mvc.post().uri("/dead-letters/x/replay?note={note}", note)).hasStatus(400);
		assertThat(this.mvc.post().uri("/dead-letters/x/replay?note={note}", "x".repeat(201))).hasStatus(400);
		assertThat(this.mvc.post().uri("/dead-letters/x/replay?note=a&note=b")).hasStatus(400);
		assertThat(this.mvc.post().uri("/dead-letters/replay?state=open&note=a&note=b")).hasStatus(400);
	}

	private static RequestPostProcessor ann() {
		return (request) -> {
			request.setRemoteUser("ann");
			request.setRemoteAddr("10.1.2.3");
			return request;
		};
	}

	@Test
	void replaysAWholeFilterAndCountsFirst() {
		String key = UUID.randomUUID().toString();
		for (int i = 0; i < 70; i++) {
			publish(key.getBytes(StandardCharsets.UTF_8), ("bad " + i).getBytes(StandardCharsets.UTF_8));
		}
		await(() -> assertThat(count("job=" + key)).isEqualTo(70));

		assertThat(this.mvc.post().uri("/dead-letters/replay?job={job}", key)).hasStatusOk()
			.bodyJson()
			.isLenientlyEqualTo("{\"replayed\":70,\"skipped\":0,\"left\":0}");

		await(() -> assertThat(count("job=" + key + "&state=open")).isEqualTo(70));
		assertThat(count("job=" + key)).isEqualTo(140);
		assertThat(this.mvc.delete().uri("/dead-letters?job={job}", key)).hasStatusOk()
			.bodyJson()
			.isLenientlyEqualTo("{\"discarded\":70}");
		assertThat(count("job=" + key + "&state=open")).isZero();
	}

	@Test
	void listsNewestFirstPageByPage() {
		String key = UUID.randomUUID().toString();
		for (int i = 0; i < 7; i++) {
			publish(key.getBytes(StandardCharsets.UTF_8), ("page " + i).getBytes(StandardCharsets.UTF_8));
		}
		await(() -> assertThat(count("job=" + key)).isEqualTo(7));

		List<String> seen = new ArrayList<>();
		String next = "/dead-letters?limit=3&job=" + key;
		while (next != null) {
			JsonNode page = get(next);
			page.get("deadLetters").forEach((one) -> seen.add(one.get("id").asString()));
			next = page.path("next").asString(null);
		}

		assertThat(seen).hasSize(7).doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@ValueSource(strings = { "state=lost", "reason=bogus", "limit=0", "limit=x", "after=x", "from=yesterday", "to=" })
	void refusesAQueryThatMeansNothing(String query) {
		assertThat(this.mvc.get().uri("/dead-letters?" + query)).hasStatus(400)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	/**
	 * Else a list would have more than was meant, and one that should only count would
	 * act.
	 */
	@Test
	void refusesAParameterThatItDoesNotKnowAndNamesThoseItKnows() {
		assertThat(this.mvc.get().uri("/dead-letters?reson=conflict")).hasStatus(400)
			.bodyJson()
			.extractingPath("$.detail")
			.isEqualTo("'reson' is none of [reason, state, job, from, to, limit, after]");
		assertThat(this.mvc.delete().uri("/dead-letters?reason=conflict&stat=open")).hasStatus(400)
			.bodyJson()
			.extractingPath("$.detail")
			.isEqualTo("'stat' is none of [reason, state, job, from, to, dry-run, note]");
		for (RequestBuilder request : List.of(this.mvc.delete().uri("/dead-letters/x?dry-run=true"),
				this.mvc.post().uri("/dead-letters/x/replay?dry-run=true"))) {
			assertThat(this.mvc.perform(request)).hasStatus(400)
				.bodyJson()
				.extractingPath("$.detail")
				.isEqualTo("'dry-run=true' is not known: there is no parameter here but 'note'");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "dry-run=false", "state=replayed", "reasom=contract", "state=open&dry_run=true",
			"state=open&dry-run", "state=open&dry-run=", "state=open&dry-run=yes" })
	void doesNothingToAllWhenAParameterMeansNothing(String query) {
		assertThat(this.mvc.delete().uri("/dead-letters?" + query)).hasStatus(400);
		assertThat(this.mvc.post().uri("/dead-letters/replay?" + query)).hasStatus(400);
	}

	@Test
	void doesNothingToAllWhenWhatToSelectStandsInABody() {
		assertThat(this.mvc.delete()
			.uri("/dead-letters?job=y")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"job\":\"x\"}")).hasStatus(400);
		assertThat(this.mvc.post()
			.uri("/dead-letters/replay?job=y")
			.contentType(MediaType.APPLICATION_FORM_URLENCODED)
			.content("job=x")).hasStatus(400);
	}

	@Test
	void replaysWhatFailsAgainOnceOnly() {
		String key = publish("nonsense");
		deadLetter(key, "open");
		MvcTestResult first = this.mvc.post().uri("/dead-letters/replay?job={job}", key).exchange();
		String to = json(first).get("to").asString();
		deadLetter(key, "open");

		assertThat(this.mvc.post().uri("/dead-letters/replay?job={job}&to={to}", key, to)).hasStatusOk()
			.bodyJson()
			.isLenientlyEqualTo("{\"replayed\":0,\"left\":0,\"to\":\"%s\"}".formatted(to));
	}

	@Test
	void replaysTheOthersWhenOneWasEditedInTheMongoShell() {
		String key = UUID.randomUUID().toString();
		for (int i = 0; i < 3; i++) {
			publish(utf8(key), utf8("bad " + i));
		}
		await(() -> assertThat(count("job=" + key)).isEqualTo(3));
		this.mongo.getMongoDatabase()
			.getCollection("deadLetters")
			.updateOne(Filters.and(Filters.eq("job", key), Filters.eq("value", "bad 1")),
					Updates.set("value", new BsonDocument("title", new BsonString("edited"))));

		JsonNode edited = awaitOne("/dead-letters?job=" + key, (one) -> one.get("value").isObject());
		assertThat(replay(edited)).hasStatus(409);
		assertThat(this.mvc.post().uri("/dead-letters/replay?job={job}", key)).hasStatusOk()
			.bodyJson()
			.isLenientlyEqualTo("{\"replayed\":2,\"skipped\":1,\"left\":0}");
		assertThat(replay(edited, "{\"title\":\"edited\"}")).hasStatus(202);
	}

	@Test
	void leavesOutTheAddressOfAJobThatNoAnswerHasAPlaceFor() {
		String key = "\u4e2d".repeat(200) + UUID.randomUUID();
		publish(utf8(key), utf8("nonsense"));
		JsonNode deadLetter = awaitOne("/dead-letters?limit=100", (one) -> one.get("job").asString().equals(key));

		assertThat(replay(deadLetter)).hasStatus(202).doesNotContainHeader("Location");
	}

	@ParameterizedTest
	@ValueSource(strings = { "[null]", "null", "{}", "[1]", "[\"/a\"" })
	void keepsARecordWhateverItsPointersSay(String pointers) {
		String key = UUID.randomUUID().toString();
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(TOPIC + "-dlt", utf8(key), utf8("odd"));
		record.headers().add("dlt-pointers", utf8(pointers));
		send(record);

		assertThat(deadLetter(key, "open").get("pointers").valueStream().map(JsonNode::asString)).hasSize(1);
	}

	@Test
	void keepsARecordWhateverItsHeadersSay() {
		String key = UUID.randomUUID().toString();
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(TOPIC + "-dlt", utf8(key), utf8("odd"));
		record.headers().add("dlt-reason", new byte[] { (byte) 0xff });
		record.headers().add("dlt-pointers", utf8("[{\"\\u0000\":1}]"));
		record.headers().add("dlt-mongodb-code", utf8("99999999999"));
		record.headers().add("dlt-original-topic", utf8("a/../#"));
		record.headers().add("dlt-original-timestamp", utf8("yesterday"));
		record.headers().add("large", new byte[100 * 1024]);
		record.headers().add("empty", null);
		send(record);

		JsonNode deadLetter = deadLetter(key, "open");
		assertThat(deadLetter.get("id").asString()).startsWith(TOPIC + "-dlt#");
		assertThat(deadLetter.get("reason").asString()).isEqualTo("unknown");
		assertThat(deadLetter.get("headersLeftOut").asInt()).isEqualTo(1);
		assertThat(replay(deadLetter)).hasStatus(409);
	}

	@Test
	void takesNothingFromTheHeadersOfADeadLetterThatIsCopiedBack() {
		String key = UUID.randomUUID().toString();
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(TOPIC, utf8(key), utf8("nonsense"));
		record.headers().add("dlt-pointers", utf8("[\"/old\"]"));
		record.headers().add("dlt-mongodb-code", utf8("121"));
		send(record);

		JsonNode deadLetter = deadLetter(key, "open");
		assertThat(deadLetter.has("pointers")).isFalse();
		assertThat(deadLetter.has("code")).isFalse();
	}

	@Test
	void readsNoFormOfAnySize() {
		assertThat(this.context.getBeansOfType(FormContentFilter.class)).isEmpty();
	}

	@Test
	void takesAnyContentTypeForNoBodyAtAll() {
		assertThat(this.mvc.get().uri("/dead-letters").header("Content-Type", "multipart/form-data")).hasStatusOk();
	}

	@Test
	void waitsForAJobOfWhichAnEarlierOneIsADeadLetter() {
		String key = publish("nonsense");
		deadLetter(key, "open");

		publish(utf8(key), utf8("{\"title\":\"second\"}"));

		assertThat(this.mvc.get().uri("/jobs/{id}", key).header("Prefer", "wait=20")).hasStatusOk();
	}

	/**
	 * The new job may be on its way: its client must not take the old end for its end.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void doesNotSayGoneOfAJobThatWasSentAgainAfterItsDeadLetter(boolean old) {
		await(() -> assertThat(lag()).isZero());
		for (int i = 0; i < 20; i++) {
			String key = UUID.randomUUID().toString();
			this.mongo.getMongoDatabase()
				.getCollection("deadLetters")
				.insertOne(new Document("_id", key).append("job", key)
					.append("firstSeen", old ? new Date(0) : new Date())
					.append("state", "open"));

			publish(utf8(key), utf8("{\"title\":\"second\"}"));

			assertThat(this.mvc.get().uri("/jobs/{id}", key).exchange().getResponse().getStatus()).isIn(200, 404);
		}
	}

	@Test
	void waitsNoLongerForAnOldDeadLetterOnceNothingWaits() {
		String key = publishAnOldDeadLetter();

		assertThat(this.mvc.get().uri("/jobs/{id}", key).header("Prefer", "wait=30")).hasStatus(404)
			.hasHeader("Preference-Applied", "wait=30");
	}

	@Test
	void replaysNothingWithoutItsKey() {
		String value = "nonsense " + UUID.randomUUID();
		publish(new byte[70_000], utf8(value));
		JsonNode deadLetter = awaitOne("/dead-letters?limit=100",
				(one) -> one.path("value").asString("").equals(value));

		assertThat(deadLetter.get("keyLeftOut").asInt()).isEqualTo(70_000);
		assertThat(replay(deadLetter)).hasStatus(409);
		assertThat(replay(deadLetter, "{\"title\":\"corrected\"}")).hasStatus(409);
		assertThat(this.mvc.post().uri("/dead-letters/replay?dry-run=true&job={job}", deadLetter.get("job").asString()))
			.bodyJson()
			.extractingPath("$.matched")
			.isEqualTo(0);
	}

	@Test
	void saysOfEachFieldWhatIsWrongWithIt() {
		JsonNode deadLetter = deadLetter(publish("nonsense"), "open");

		assertThat(replay(deadLetter, "{\"title\":\" \",\"company\":7}")).hasStatus(400)
			.bodyJson()
			.extractingPath("$.errors[?(@.pointer == '/title')].detail")
			.asArray()
			.containsExactly("must not be blank");
	}

	@ParameterizedTest
	@CsvSource({ "evil.example:9091,403", "jobs.example:9091,200", "[::1]:9091,200", "127.0.0.1:9091,200",
			"kafka-to-mongo:9091,200" })
	void letsNoNameThatAnybodyCanHaveChangeAnything(String host, int status) {
		assertThat(this.mvc.delete().uri("/dead-letters?job=x").header("Host", host).header("Origin", "http://" + host))
			.hasStatus(status);
	}

	@Test
	void letsTheConsoleBehindAProxyChangeSomething() {
		assertThat(this.mvc.delete()
			.uri("/dead-letters?job=x")
			.header("Host", "upstream:9091")
			.header("Origin", "https://jobs.example")).hasStatusOk();
		assertThat(this.mvc.delete()
			.uri("/dead-letters?job=x")
			.header("Host", "upstream:9091")
			.header("Origin", "https://jobs.example:8443")).hasStatus(403);
	}

	@Test
	void countsNoDocumentOfSomebodyElse() {
		this.mongo.getMongoDatabase()
			.getCollection("deadLetters")
			.insertOne(new Document("state", "open").append("firstSeen", new Date()).append("job", "foreign"));

		assertThat(this.mvc.post().uri("/dead-letters/replay?job=foreign")).hasStatusOk()
			.bodyJson()
			.isLenientlyEqualTo("{\"replayed\":0,\"skipped\":0,\"left\":0}");
		assertThat(this.mvc.post().uri("/dead-letters/replay?job=foreign&dry-run=true")).hasStatusOk()
			.bodyJson()
			.isLenientlyEqualTo("{\"matched\":0}");
	}

	@Test
	void letsNoOtherSiteChangeAnything() {
		assertThat(this.mvc.delete()
			.uri("/dead-letters?job=x")
			.header("Host", "localhost:9091")
			.header("Origin", "http://localhost:80")).hasStatus(403).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(this.mvc.delete()
			.uri("/dead-letters?job=x")
			.header("Host", "localhost:9091")
			.header("Origin", "http://localhost:9091")).hasStatusOk();
	}

	@Test
	void showsHowFarBehindItIs() {
		publish("{\"title\":\"counted\"}");

		await(() -> assertThat(metric("jobs_lag{partition=")).hasSize(6).allMatch((line) -> line.endsWith(" 0.0")));
		assertThat(metric("jobs_oldest_waiting_seconds ")).containsExactly("jobs_oldest_waiting_seconds 0.0");
		assertThat(metric("jobs_back_off_seconds")).containsExactly("jobs_back_off_seconds 0.0");
		assertThat(metric("jobs_stored_total")).hasSize(1);
		assertThat(metric("jobs_end_to_end_seconds_bucket")).isNotEmpty();
		assertThat(metric("jobs_dead_letters_total")).hasSize(5);
	}

	private List<String> metric(String prefix) {
		return text("/actuator/prometheus").lines().filter((line) -> line.startsWith(prefix)).toList();
	}

	private double lag() {
		return metric("jobs_lag{").stream()
			.mapToDouble((line) -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
			.sum();
	}

	private MvcTestResult replay(JsonNode deadLetter) {
		return this.mvc.post().uri("/dead-letters/{id}/replay", deadLetter.get("id").asString()).exchange();
	}

	private MvcTestResult replay(JsonNode deadLetter, String body) {
		return this.mvc.post()
			.uri("/dead-letters/{id}/replay", deadLetter.get("id").asString())
			.contentType(MediaType.APPLICATION_JSON)
			.content(body)
			.exchange();
	}

	private int count(String query) {
		JsonNode all = get("/dead-letters?limit=100&" + query);
		int count = all.get("deadLetters").size();
		String next = all.path("next").asString(null);
		return (next != null && count == 100) ? count + get(next).get("deadLetters").size() : count;
	}

	private JsonNode deadLetter(String job, String state) {
		return awaitOne("/dead-letters?job=%s&state=%s".formatted(job, state), (one) -> true);
	}

	private JsonNode awaitOne(String uri, Predicate<JsonNode> which) {
		List<JsonNode> found = new ArrayList<>();
		await(() -> {
			found.clear();
			get(uri).get("deadLetters").valueStream().filter(which).forEach(found::add);
			assertThat(found).hasSize(1);
		});
		return found.getFirst();
	}

	private JsonNode get(String uri) {
		return new JsonMapper().readTree(text(uri));
	}

	private static JsonNode json(MvcTestResult answer) {
		return new JsonMapper().readTree(answer.getResponse().getContentAsByteArray());
	}

	private String text(String uri) {
		MvcTestResult answer = this.mvc.get().uri(URI.create(uri)).exchange();
		assertThat(answer).hasStatusOk();
		return new String(answer.getResponse().getContentAsByteArray(), StandardCharsets.UTF_8);
	}

	private String publishAnOldDeadLetter() {
		String key = publish("nonsense");
		deadLetter(key, "open");
		this.mongo.getMongoDatabase()
			.getCollection("deadLetters")
			.updateOne(Filters.eq("job", key), Updates.set("firstSeen", new Date(0)));
		return key;
	}

	private static String publish(String value) {
		String key = UUID.randomUUID().toString();
		publish(utf8(key), utf8(value));
		return key;
	}

	private static void publish(byte @Nullable [] key, byte[] value) {
		send(new ProducerRecord<>(TOPIC, key, value));
	}

	private static void send(ProducerRecord<byte[], byte[]> record) {
		try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", Backends.get().kafka()), new ByteArraySerializer(),
				new ByteArraySerializer())) {
			producer.send(record);
		}
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(assertion);
	}

}
