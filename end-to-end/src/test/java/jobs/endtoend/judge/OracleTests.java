package jobs.endtoend.judge;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import jobs.endtoend.judge.Oracle.Verdict;
import jobs.endtoend.judge.Oracle.Wrong;
import jobs.endtoend.load.History;
import jobs.endtoend.load.History.Outcome;
import jobs.endtoend.load.Strays;
import jobs.endtoend.load.Workload;
import jobs.endtoend.pair.Evidence;
import jobs.endtoend.pair.Pair;
import jobs.endtoend.pair.Postings;
import jobs.testkit.Backends;
import jobs.testkit.Sha256;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The oracle sees what a sink does wrong with one job in ten thousand.
 */
@Tag("long")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OracleTests {

	private static final int JOBS = 10_000;

	private static final int VICTIM = 4711;

	private static final String TOPIC = "oracle-" + UUID.randomUUID();

	private static final Workload WORKLOAD = new Workload(42);

	private final String group = "oracle-" + UUID.randomUUID();

	private final History history = new History(JOBS);

	private final MongoClient mongo = MongoClients.create(Backends.get().mongo(this.group));

	private final MongoCollection<BsonDocument> documents = this.mongo.getDatabase(this.group)
		.getCollection("jobs", BsonDocument.class);

	private final Strays strays = new Strays(Backends.get().kafka(), TOPIC);

	OracleTests() {
		for (int number = 0; number < JOBS; number++) {
			boolean bad = WORKLOAD.isBad(number);
			this.history.note(number, bad ? Outcome.FAIL : Outcome.OK, bad ? null : id(number));
		}
	}

	@BeforeAll
	static void publish() throws Exception {
		try (Admin admin = Pair.admin();
				KafkaProducer<String, String> producer = new KafkaProducer<>(
						Map.of("bootstrap.servers", Backends.get().kafka()), new StringSerializer(),
						new StringSerializer())) {
			admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1), new NewTopic(TOPIC + "-dlt", 1, (short) 1)))
				.all()
				.get(30, TimeUnit.SECONDS);
			List<Future<RecordMetadata>> sent = new ArrayList<>();
			for (int number = 0; number < JOBS; number++) {
				if (!WORKLOAD.isBad(number)) {
					sent.add(producer.send(new ProducerRecord<>(TOPIC, id(number), WORKLOAD.job(number))));
				}
				if (number == 0) {
					// a new topic can refuse the first batch and take the second:
					// then the first one's sequence is too old for it
					sent.getFirst().get(30, TimeUnit.SECONDS);
				}
			}
			for (Future<RecordMetadata> record : sent) {
				record.get(30, TimeUnit.SECONDS);
			}
		}
	}

	@AfterAll
	static void delete() throws Exception {
		try (Admin admin = Pair.admin()) {
			admin.deleteTopics(List.of(TOPIC, TOPIC + "-dlt")).all().get(30, TimeUnit.SECONDS);
		}
	}

	@AfterEach
	void close() {
		this.strays.close();
		this.mongo.close();
	}

	@Test
	void passesASinkThatDoesAllRight() throws Exception {
		assertThat(judge((stored) -> stored).passed()).isTrue();
	}

	@Test
	void findsOneJobInTenThousandThatIsDropped() throws Exception {
		Verdict verdict = judge((stored) -> {
			stored.removeIf((document) -> number(document) == VICTIM);
			return stored;
		});

		assertThat(verdict.wrongs()).containsOnlyKeys(Wrong.LOST, Wrong.COMMITTED_BEYOND).containsEntry(Wrong.LOST, 1);
		assertThat(verdict.toString()).contains("1 lost");
		assertThat(verdict.testimony()).anyMatch((line) -> line.contains("job 4711: committed"))
			.anyMatch((line) -> line.contains("history: OK after 1 tries, id " + id(VICTIM)))
			.anyMatch((line) -> line.contains("found: record 0#"));
	}

	@Test
	void findsOneThatIsDoubled() throws Exception {
		Verdict verdict = judge((stored) -> {
			stored.add(document(VICTIM).append("_id", new BsonString(UUID.randomUUID().toString())));
			return stored;
		});

		assertThat(verdict.wrongs()).containsEntry(Wrong.TWICE, 1);
		assertThat(verdict.toString()).contains("1 twice");
		assertThat(verdict.testimony()).anyMatch((line) -> line.contains("2 documents and 0 dead letters"));
	}

	@Test
	void findsOneWithAnotherDigit() throws Exception {
		Verdict verdict = judge((stored) -> {
			stored.stream()
				.filter((document) -> number(document) == VICTIM)
				.forEach((document) -> document.getDocument("more").getArray("numbers").set(0, new BsonInt32(271828)));
			return stored;
		});

		assertThat(verdict.wrongs()).containsOnlyKeys(Wrong.CHANGED).containsEntry(Wrong.CHANGED, 1);
		assertThat(verdict.testimony()).anyMatch((line) -> line.contains("job 4711: the document differs"));
	}

	@Test
	void findsOneThatWasRefusedAndIsThere() throws Exception {
		this.history.note(7, Outcome.FAIL, null);

		Verdict verdict = judge(OracleTests::withTheBadJob);

		assertThat(verdict.wrongs()).containsOnlyKeys(Wrong.REFUSED_BUT_THERE, Wrong.BAD_BUT_ACCEPTED);
	}

	@Test
	void findsOneThatIsBadAndWasAccepted() throws Exception {
		this.history.note(7, Outcome.OK, id(7));

		Verdict verdict = judge(OracleTests::withTheBadJob);

		assertThat(verdict.wrongs()).containsOnlyKeys(Wrong.BAD_BUT_ACCEPTED);
	}

	@Test
	void findsOneThatIsBadAndWasStoredWithoutAnAnswer() throws Exception {
		this.history.note(7, Outcome.UNKNOWN, null);

		Verdict verdict = judge(OracleTests::withTheBadJob);

		assertThat(verdict.wrongs()).containsOnlyKeys(Wrong.BAD_BUT_ACCEPTED);
	}

	@Test
	void findsOneThatIsGoodAndWasRefused() throws Exception {
		this.history.noteRefusal(VICTIM, "404");

		assertThat(judge((stored) -> stored).wrongs()).containsOnlyKeys(Wrong.REFUSED_WITHOUT_CAUSE);
	}

	@Test
	void findsServicesThatAcceptNothing() throws Exception {
		History refusing = new History(JOBS);
		for (int number = 0; number < JOBS; number++) {
			refusing.note(number, (number % 2 == 0) ? Outcome.FAIL : Outcome.UNKNOWN, null);
		}

		Verdict verdict = Oracle.judge(WORKLOAD, refusing, this.strays, evidence(TOPIC + "-dlt"));

		assertThat(verdict.wrongs()).containsOnlyKeys(Wrong.NOT_ACCEPTED);
		assertThat(verdict.wrongs().get(Wrong.NOT_ACCEPTED)).isGreaterThan(JOBS * 9 / 10);
	}

	@Test
	void findsAStrayRecordThatIsNoDeadLetter() throws Exception {
		this.strays.send(1);

		assertThat(judge((stored) -> stored).wrongs()).containsEntry(Wrong.LOST, 1);
	}

	@Test
	void passesACorrectionThatIsStoredOnce() throws Exception {
		this.strays.noteCorrection(3, true);
		this.strays.noteCorrection(4, false);

		assertThat(judge((stored) -> with(stored, correction(3, "any"))).passed()).isTrue();
	}

	@Test
	void findsACorrectionThatIsMissingDoubledOrChanged() throws Exception {
		this.strays.noteCorrection(3, true);
		this.strays.noteCorrection(4, true);
		this.strays.noteCorrection(5, false);

		Verdict verdict = judge((stored) -> with(with(with(stored, correction(4, "one")), correction(4, "other")),
				correction(5, "five").append("title", new BsonString("Other"))));

		assertThat(verdict.wrongs()).containsOnlyKeys(Wrong.LOST, Wrong.TWICE, Wrong.CHANGED);
		assertThat(verdict.testimony()).anyMatch((line) -> line.contains("correction of stray record 3 is not stored"))
			.anyMatch((line) -> line.contains("correction of stray record 4 is stored as [one, other]"))
			.anyMatch((line) -> line.contains("correction of stray record 5 differs"));
	}

	@Test
	void findsACorrectionThatNobodySent() throws Exception {
		assertThat(judge((stored) -> with(stored, correction(3, "any"))).wrongs()).containsOnlyKeys(Wrong.FOREIGN);
	}

	/**
	 * What the oracle says of a sink that stores what it should, but for one fault.
	 */
	private Verdict judge(UnaryOperator<List<BsonDocument>> fault) throws Exception {
		this.strays.acknowledged();
		List<BsonDocument> stored = new ArrayList<>();
		Evidence evidence = evidence(TOPIC);
		evidence.forEachRecord((record) -> {
			if (Strays.number(record) < 0) {
				stored.add(document(
						Postings.json(new String(record.value(), StandardCharsets.UTF_8)).get("n").intValue()));
			}
		});
		long end = stored.size();
		this.documents.insertMany(fault.apply(stored));
		try (Admin admin = Pair.admin()) {
			admin
				.alterConsumerGroupOffsets(this.group, Map.of(new TopicPartition(TOPIC, 0), new OffsetAndMetadata(end)))
				.all()
				.get(30, TimeUnit.SECONDS);
		}
		return Oracle.judge(WORKLOAD, this.history, this.strays, evidence);
	}

	private Evidence evidence(String topic) {
		return new Evidence(Backends.get().kafka(), topic, TOPIC + "-dlt", this.group, this.documents,
				this.mongo.getDatabase(this.group).getCollection("deadLetters", BsonDocument.class));
	}

	private static List<BsonDocument> withTheBadJob(List<BsonDocument> stored) {
		return with(stored, document(7));
	}

	private static List<BsonDocument> with(List<BsonDocument> stored, BsonDocument another) {
		stored.add(another);
		return stored;
	}

	private static BsonDocument correction(int stray, String id) {
		return BsonDocument.parse(Strays.correction(stray))
			.append("_id", new BsonString(id))
			.append("_meta", new BsonDocument());
	}

	private static int number(BsonDocument document) {
		return document.getNumber("n").intValue();
	}

	private static String id(int number) {
		return new UUID(1, number).toString();
	}

	private static BsonDocument document(int number) {
		String job = WORKLOAD.job(number);
		BsonDocument document = new BsonDocument("_id", new BsonString(id(number)));
		try (JsonParser json = new JsonMapper().createParser(job)) {
			document.putAll(value(json, json.nextToken()).asDocument());
		}
		return document.append("_meta", new BsonDocument("sha256", new BsonString(Sha256.of(job))));
	}

	private static BsonValue value(JsonParser json, JsonToken token) {
		return switch (token) {
			case START_OBJECT -> {
				BsonDocument object = new BsonDocument();
				for (String name = json.nextName(); name != null; name = json.nextName()) {
					object.put(name, value(json, json.nextToken()));
				}
				yield object;
			}
			case START_ARRAY -> {
				BsonArray array = new BsonArray();
				for (JsonToken next = json.nextToken(); next != JsonToken.END_ARRAY; next = json.nextToken()) {
					array.add(value(json, next));
				}
				yield array;
			}
			case VALUE_STRING -> new BsonString(json.getString());
			case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> json.getString().equals("-0") ? new BsonDouble(-0.0)
					: new BsonDecimal128(new Decimal128(new BigDecimal(json.getString())));
			case VALUE_TRUE, VALUE_FALSE -> BsonBoolean.valueOf(token == JsonToken.VALUE_TRUE);
			default -> BsonNull.VALUE;
		};
	}

}
