package jobs.kafkatomongo.query;

import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

import com.mongodb.client.MongoCollection;
import jobs.contract.RefusedDocumentException;
import jobs.contract.resources.KeyFields;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.TestBackends;
import jobs.kafkatomongo.http.Bulkhead;
import jobs.kafkatomongo.pipeline.Pipelines;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.awaitility.Awaitility;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is stored can be read back.
 */
@SpringBootTest(properties = { "spring.kafka.listener.auto-startup=false", "kafka-to-mongo.max-wait=5s" })
@AutoConfigureMockMvc
@Import(TestBackends.class)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DocumentsControllerTests {

	private static final Resource ORDERS = new Resource("orders", List.of(), "", KeyFields.NONE, List.of(), List.of(),
			1, "orders", "orders-dlt", "orders", "orders.deadLetters", "orders");

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private MongoTemplate mongo;

	@Autowired
	private Pipelines pipelines;

	private MongoCollection<BsonDocument> collection;

	@BeforeEach
	void empty() {
		this.collection = Records.collection(this.pipelines);
		this.collection.deleteMany(new BsonDocument());
	}

	@Test
	void givesAJobAsItWasPostedWithItsId() throws RefusedDocumentException {
		store("x#1", 5, "{\"title\":\"a\",\"big\":1e400,\"long\":9007199254740993,\"n\":[1.5,null]}");

		MvcTestResult answer = this.mvc.get().uri("/jobs/{id}", "x#1").exchange();

		assertThat(answer).hasStatusOk().hasContentTypeCompatibleWith(MediaType.APPLICATION_JSON);
		assertThat(answer).bodyText()
			.asString()
			.startsWith(
					"{\"id\": \"x#1\", \"title\": \"a\", \"big\": 1E+400, \"long\": 9007199254740993, \"n\": [1.5, null], "
							+ "\"_meta\": {\"acceptedAt\": \"1970-01-01T00:00:00.005Z\", ");
	}

	/**
	 * Somebody has put a document beside the dead letters, or taken a field from one.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "{job: 'odd'}", "{_id: 7, job: 'odd', firstSeen: {$date: 0}}",
			"{_id: 'a', job: 'odd', firstSeen: 'never', state: 3}", "{_id: 'a', job: 'odd', firstSeen: {$date: 0}}",
			"{_id: 'a', job: 'odd', firstSeen: {$date: 0}, state: 'open', detail: 1, reason: null}" })
	void looksForAJobAmongDeadLettersThatSomebodyEdited(String deadLetter) {
		this.mongo.getCollection("deadLetters").deleteMany(new BsonDocument());
		this.mongo.getCollection("deadLetters").insertOne(Document.parse(deadLetter));

		assertThat(this.mvc.get().uri("/jobs/odd").header("Prefer", "wait=1").exchange().getResponse().getStatus())
			.isEqualTo(404);
	}

	@Test
	void answers404ForAJobThatIsNotStored() {
		assertThat(this.mvc.get().uri("/jobs/nope")).hasStatus(404).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@Test
	void waitsForAJobAsPreferred() throws Exception {
		CompletableFuture<MvcTestResult> answer = CompletableFuture.supplyAsync(
				() -> this.mvc.get().uri("/jobs/late").header("Prefer", "respond-async, wait=5").exchange(),
				Thread::startVirtualThread);
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> answer.get(300, TimeUnit.MILLISECONDS));

		store("late", 5, "{\"title\":\"late\"}");

		assertThat(answer.get(20, TimeUnit.SECONDS)).hasStatusOk().hasHeader("Preference-Applied", "wait=5");
	}

	@Test
	void waitsNoLongerThanItMay() {
		long start = System.nanoTime();

		assertThat(this.mvc.get().uri("/jobs/never").header("Prefer", "wait=60")).hasStatus(404);

		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
	}

	/** Tomcat lets requests end before this service does. */
	@Test
	void endsItsWaitsWhenThisServiceStops(@Autowired KafkaToMongoProperties properties) throws Exception {
		DocumentWait wait = waits(Records.jobs("jobs"), properties, new Bulkhead(1, "full"), new Bulkhead(1, "full"));
		CompletableFuture<Boolean> waiting = await(wait, "never", 1);
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> waiting.get(300, TimeUnit.MILLISECONDS));

		wait.endWaits();

		assertThat(waiting.get(20, TimeUnit.SECONDS)).isFalse();
	}

	/** As where a batch of orders waits for ever, and clients wait for their orders. */
	@Test
	void leavesPlacesToWaitToOtherResources(@Autowired KafkaToMongoProperties properties) throws Exception {
		Bulkhead places = new Bulkhead(8, "full");
		Bulkhead shares = new Bulkhead(8, "full");
		DocumentWait orders = waits(ORDERS, properties, places, shares);
		List<CompletableFuture<Boolean>> waiting = IntStream.range(0, 20)
			.mapToObj((client) -> await(orders, "never", client))
			.toList();
		Awaitility.await()
			.atMost(20, TimeUnit.SECONDS)
			.until(() -> waiting.stream().filter((one) -> !one.isDone()).count() == 4);

		CompletableFuture<Boolean> job = await(waits(Records.jobs("jobs"), properties, places, shares), "late", 20);
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> job.get(300, TimeUnit.MILLISECONDS));
		store("late", 5, "{\"title\":\"late\"}");

		assertThat(job.get(20, TimeUnit.SECONDS)).isTrue();
		orders.endWaits();
		assertThat(waiting).allSatisfy((one) -> assertThat(one.get(20, TimeUnit.SECONDS)).isFalse());
	}

	/** Waits of one of two resources. */
	private DocumentWait waits(Resource resource, KafkaToMongoProperties properties, Bulkhead places, Bulkhead shares) {
		return new DocumentWait(Records.of(this.pipelines, StoredDocuments.class),
				Records.of(this.pipelines, MissingDocuments.class), properties, resource,
				new Resources(List.of(Records.jobs("jobs"), ORDERS), true), places, shares);
	}

	private static CompletableFuture<Boolean> await(DocumentWait wait, String id, int client) {
		MockHttpServletRequest request = new MockHttpServletRequest();
		request.setRemoteAddr("192.0.2." + client);
		return CompletableFuture.supplyAsync(() -> {
			try {
				return wait.await(id, null, Duration.ofMinutes(5), request);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}, Thread::startVirtualThread);
	}

	@Test
	void listsNewestFirstPageByPageWithoutSkippingOrRepeating() throws RefusedDocumentException {
		List<String> expected = new ArrayList<>();
		for (int i = 0; i < 25; i++) {
			String id = "%02d".formatted(i);
			// ten jobs of one millisecond
			store(id, i / 10, "{\"title\":\"a\"}");
			expected.addFirst(id);
		}
		this.collection.insertOne(new BsonDocument("_id", new BsonObjectId(new ObjectId())));
		this.collection.insertOne(new BsonDocument("_id", new BsonObjectId(new ObjectId())).append("_meta",
				new BsonDocument("acceptedAt", new BsonDateTime(1))));

		List<String> seen = new ArrayList<>();
		String next = "/jobs?limit=4";
		while (next != null) {
			JsonNode page = page(next);
			assertThat(page.get("jobs").size()).isLessThanOrEqualTo(4);
			page.get("jobs").forEach((job) -> seen.add(job.get("id").asString()));
			next = page.path("next").asString(null);
			store(UUID.randomUUID().toString(), 99, "{\"title\":\"meanwhile\"}");
		}

		assertThat(seen).containsExactlyElementsOf(expected);
	}

	@Test
	void endsAPageEarlyWhenJobsAreLarge() throws RefusedDocumentException {
		for (int i = 0; i < 4; i++) {
			store("id" + i, i, "{\"title\":\"%s\"}".formatted("x".repeat(200_000)));
		}

		JsonNode first = page("/jobs");
		JsonNode second = page(first.get("next").asString());

		assertThat(first.get("jobs").findValuesAsString("id")).containsExactly("id3", "id2");
		assertThat(second.get("jobs").findValuesAsString("id")).containsExactly("id1", "id0");
	}

	@Test
	void goesOnAfterAnIdThatNoAddressHasAPlaceFor() throws RefusedDocumentException {
		store("x".repeat(10_000), 2, "{\"title\":\"a\"}");
		store("next", 1, "{\"title\":\"a\"}");

		String next = page("/jobs?limit=1").get("next").asString();

		assertThat(next.length()).isLessThan(1000);
		assertThat(page(next).get("jobs").findValuesAsString("id")).containsExactly("next");
	}

	@Test
	void listsTheJobsOfACompany() throws RefusedDocumentException {
		for (int i = 0; i < 6; i++) {
			store("id" + i, i, "{\"title\":\"a\",\"company\":\"%s\"}".formatted((i % 2 == 0) ? "A & B = ü" : "C"));
		}

		JsonNode first = page("/jobs?limit=2&company=A %26 B = ü");
		JsonNode second = page(first.get("next").asString());

		assertThat(first.get("jobs").findValuesAsString("id")).containsExactly("id4", "id2");
		assertThat(second.get("jobs").findValuesAsString("id")).containsExactly("id0");
		assertThat(second.has("next")).isFalse();
	}

	/**
	 * Some producers count microseconds, and Kafka 3 takes them. Version 1.0.0 kept such
	 * a time as a date.
	 */
	@Test
	void listsEveryJobWhateverItsTime() throws RefusedDocumentException {
		store("now", 1_700_000_000_000L, "{\"title\":\"a\"}");
		store("microseconds", 1_700_000_000_000_000L, "{\"title\":\"a\"}");
		store("none", -1, "{\"title\":\"a\"}");
		insert("stored-by-1.0.0", 1_700_000_000_000_000L);
		insert("before-1970", -5);
		insert("last", Long.MAX_VALUE);
		insert("first", Long.MIN_VALUE);

		List<String> ids = new ArrayList<>();
		String next = "/jobs?limit=1";
		while (next != null) {
			JsonNode page = page(next);
			ids.addAll(page.get("jobs").findValuesAsString("id"));
			next = page.has("next") ? page.get("next").asString() : null;
		}

		assertThat(ids).startsWith("last", "stored-by-1.0.0")
			.endsWith("now", "before-1970", "first")
			.contains("microseconds", "none")
			.hasSize(7);
		JsonNode meta = page("/jobs/microseconds").get("_meta");
		assertThat(meta.get("timestamp").asLong()).isEqualTo(1_700_000_000_000_000L);
		assertThat(Instant.parse(meta.get("acceptedAt").asString())).isBetween(Instant.now().minusSeconds(60),
				Instant.now());
	}

	private void insert(String id, long acceptedAt) {
		this.collection.insertOne(new BsonDocument("_id", new BsonString(id)).append("_meta",
				new BsonDocument("acceptedAt", new BsonDateTime(acceptedAt))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/jobs?limit=0", "/jobs?limit=101", "/jobs?limit=x", "/jobs?after=x", "/jobs?after=x.y",
			"/jobs?after=", "/jobs?after=9223372036854775808.x" })
	void answers400ToABadParameter(String uri) {
		assertThat(this.mvc.get().uri(uri)).hasStatus(400).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@Test
	void answers400ToAParameterThatItDoesNotKnow() {
		assertThat(this.mvc.get().uri("/jobs?limit=5&compani=Acme")).hasStatus(400)
			.bodyJson()
			.extractingPath("$.detail")
			.isEqualTo("'compani' is none of [limit, after, company]");
	}

	/** Spring would look for the company "Acme,Other". */
	@ParameterizedTest
	@ValueSource(strings = { "/jobs?company=Acme&company=Other", "/jobs?limit=5&limit=6" })
	void answers400ToAParameterThatComesTwice(String uri) {
		assertThat(this.mvc.get().uri(uri)).hasStatus(400)
			.bodyJson()
			.extractingPath("$.detail")
			.asString()
			.endsWith("may be given once");
	}

	@ParameterizedTest
	@CsvSource({ "/jobs, 'DELETE,GET,HEAD,OPTIONS'", "/jobs/x, 'DELETE,GET,HEAD,OPTIONS'",
			"/dead-letters, 'DELETE,GET,HEAD,OPTIONS'", "/dead-letters/x, 'DELETE,GET,HEAD,OPTIONS'",
			"/dead-letters/x/replay, 'OPTIONS,POST'", "/actuator/health, 'GET,HEAD,OPTIONS'" })
	void tellsTheSameMethodsWhoeverAsks(String path, String methods) {
		List<String> expected = List.of(methods.split(","));

		for (HttpMethod method : List.of(HttpMethod.PUT, HttpMethod.PATCH, HttpMethod.OPTIONS)) {
			MvcTestResult answer = this.mvc.method(method).uri(path).exchange();

			assertThat(answer).hasStatus((method == HttpMethod.OPTIONS) ? 200 : 405);
			assertThat(answer.getResponse().getHeader("Allow").split(", ?"))
				.containsExactlyInAnyOrderElementsOf(expected);
		}
	}

	@Test
	void answers405And406And404AsProblems() {
		assertThat(this.mvc.post().uri("/jobs")).hasStatus(405).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(this.mvc.get().uri("/jobs").accept(MediaType.TEXT_HTML)).hasStatus(406);
		assertThat(this.mvc.get().uri("/nope")).hasStatus(404).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	private JsonNode page(String uri) {
		MvcTestResult answer = this.mvc.get().uri(URI.create(uri.replace(" ", "%20"))).exchange();
		assertThat(answer).hasStatusOk();
		return new JsonMapper().readTree(answer.getResponse().getContentAsByteArray());
	}

	private void store(String id, long acceptedAt, String json) throws RefusedDocumentException {
		ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("topic", 0, 0, acceptedAt,
				TimestampType.CREATE_TIME, 0, 0, Records.utf8(id), Records.utf8(json), new RecordHeaders(),
				Optional.empty());
		this.collection.insertOne(Records.parser(Clock.systemUTC(), 1 << 20).parse(record).document());
	}

}
