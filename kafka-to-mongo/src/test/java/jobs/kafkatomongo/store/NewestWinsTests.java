package jobs.kafkatomongo.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Updates;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetter.Reason;
import jobs.kafkatomongo.document.ErasedDocuments;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.document.Tombstone;
import jobs.kafkatomongo.events.StoredEvents;
import jobs.testkit.Backends;
import org.bson.BsonArray;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class NewestWinsTests {

	private static final AtomicLong OFFSETS = new AtomicLong();

	private static final MongoClient CLIENT = MongoClients.create(Backends.get().mongo("test"));

	private static final Resource ORDERS = Records.orders("topic");

	private final MongoCollection<BsonDocument> collection = CLIENT.getDatabase("test-" + UUID.randomUUID())
		.getCollection("orders", BsonDocument.class);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final DocumentStore store = store(this.collection);

	@AfterAll
	static void close() {
		CLIENT.close();
	}

	@Test
	void replacesAnOlderVersion() {
		assertThat(store(order("A", 1, "open"))).isEmpty();

		assertThat(store(order("A", 2, "paid"))).isEmpty();

		assertThat(states()).containsExactly("A 2 paid");
	}

	@Test
	void keepsANewerVersionAndCountsTheOlderOne() {
		store(order("A", 2, "paid"));

		assertThat(store(order("A", 1, "open"))).isEmpty();

		assertThat(states()).containsExactly("A 2 paid");
		assertThat(this.meters.get("jobs.superseded").counter().count()).isOne();
	}

	/** The case of hpgrahsl/kafka-connect-mongodb#98: an older version in one batch. */
	@Test
	void sendsOnlyTheNewestOfOneBatch() {
		assertThat(store(order("A", 3, "sent"), order("A", 1, "open"), order("A", 2, "paid"))).isEmpty();

		assertThat(states()).containsExactly("A 3 sent");
		assertThat(this.meters.get("jobs.superseded").counter().count()).isEqualTo(2);
		assertThat(this.meters.get("jobs.stored").counter().count()).isOne();
	}

	@Test
	void takesTheSameVersionTwiceForStored() {
		store(order("A", 1, "open"));

		assertThat(store(order("A", 1, "open"), order("A", 1, "open"))).isEmpty();

		assertThat(this.meters.get("jobs.duplicates").counter().count()).isEqualTo(2);
	}

	@Test
	void refusesAnotherDocumentWithTheSameVersion() {
		store(order("A", 1, "open"));

		assertThat(store(order("A", 1, "paid"), order("B", 1, "x"), order("B", 1, "y"))).extracting(DeadLetter::reason)
			.containsExactly(Reason.CONFLICT, Reason.CONFLICT);

		assertThat(states()).containsExactly("A 1 open", "B 1 x");
	}

	@Test
	void keepsOutAnOlderVersionOfADeletedDocument() {
		store(order("A", 1, "open"));

		store(deletion("A", "3"));
		assertThat(store(order("A", 2, "paid"))).isEmpty();

		BsonDocument mark = this.collection.find().first();
		assertThat(mark.keySet()).containsExactly("_id", "_meta");
		assertThat(mark.getDocument("_meta").keySet()).containsExactly("version", "deletedAt");
		assertThat(mark.getDocument("_meta").getInt64("version").getValue()).isEqualTo(3);
	}

	/** The case of hpgrahsl/kafka-connect-mongodb#141: another key was deleted. */
	@Test
	void deletesNoOtherDocument() {
		store(order("A", 1, "open"), order("B", 1, "open"));

		store(deletion("B", "2"));

		assertThat(states()).containsExactly("A 1 open", "B 2 deleted");
	}

	@Test
	void storesANewerVersionOfADeletedDocument() {
		store(deletion("A", "3"));

		store(order("A", 4, "again"));

		assertThat(states()).containsExactly("A 4 again");
	}

	@Test
	void deletesTwiceAndWhatWasNeverThere() {
		assertThat(store(deletion("A", "3"), deletion("A", "3"), deletion("A", "2"))).isEmpty();

		assertThat(states()).containsExactly("A 3 deleted");
	}

	@Test
	void deletesByTheTimestampOfARecordWithoutAVersion() {
		ParsedRecord deletion = deletion("A", null);

		store(deletion);

		assertThat(states()).containsExactly("A %d deleted".formatted(deletion.record().timestamp()));
	}

	@Test
	void keepsAnErasedDocumentOut() {
		this.collection.insertOne(Tombstone.of("A", Instant.now()));

		assertThat(store(order("A", 7, "open"), deletion("A", "8"))).isEmpty();

		assertThat(this.collection.find().first().getDocument("_meta").keySet()).containsExactly("erasedAt");
		assertThat(this.meters.get("jobs.kept.out").counter().count()).isEqualTo(2);
	}

	/** The case of mongodb/mongo-kafka PR #162: the id is a key of the business. */
	@Test
	void takesTheIdFromTheDocumentAndNotFromTheKey() {
		store(parse("one key", json("A", 1, "open"), null), parse("another key", json("A", 2, "paid"), null));

		assertThat(states()).containsExactly("A 2 paid");
	}

	static List<BsonValue> noVersions() {
		return List.of(new BsonString("9"), new BsonDocument(), new BsonInt32(-1),
				new BsonArray(List.of(new BsonString("9"))));
	}

	@ParameterizedTest
	@MethodSource("noVersions")
	void replacesADocumentWithoutAVersion(BsonValue version) {
		this.collection.insertOne(new BsonDocument("_id", new BsonString("A")).append("state", new BsonString("hand"))
			.append("_meta", new BsonDocument("version", version)));
		this.collection.insertOne(new BsonDocument("_id", new BsonString("B")).append("state", new BsonString("hand")));

		assertThat(store(order("A", 0, "open"), order("B", Long.MIN_VALUE, "open"))).isEmpty();

		assertThat(states()).containsExactly("A 0 open", "B %d open".formatted(Long.MIN_VALUE));
	}

	static List<BsonValue> highVersions() {
		return List.of(new BsonInt32(9), new BsonDouble(5.5), new BsonDouble(Double.POSITIVE_INFINITY),
				new BsonDecimal128(Decimal128.parse("9.5")),
				new BsonArray(List.of(new BsonInt32(1), new BsonInt32(9))));
	}

	@ParameterizedTest
	@MethodSource("highVersions")
	void keepsAVersionThatSomebodyWroteByHand(BsonValue version) {
		this.collection.insertOne(
				new BsonDocument("_id", new BsonString("A")).append("_meta", new BsonDocument("version", version)));

		assertThat(store(order("A", 5, "open"))).isEmpty();

		assertThat(this.collection.find().first().get("state")).isNull();
		assertThat(this.meters.get("jobs.superseded").counter().count()).isOne();
	}

	/** In whatever order they come, so that a deletion deletes what it says. */
	@Test
	void deletesTheVersionThatADeletionNames() {
		store(order("A", 3, "open"), order("B", 3, "open"));
		store(deletion("B", "3"), order("B", 3, "open"));

		assertThat(store(deletion("A", "3"))).isEmpty();
		assertThat(store(order("A", 3, "open"), order("A", 3, "other"), deletion("A", "3"))).isEmpty();

		assertThat(states()).containsExactly("A 3 deleted", "B 3 deleted");
	}

	@Test
	void goesOnAsBeforeWhereMostAreOldAndThenMostAreNew() {
		store(order("A", 1, "open"), order("B", 1, "open"));
		store(order("A", 2, "paid"), order("B", 2, "paid"));
		store(order("A", 3, "sent"), order("C", 1, "open"), order("D", 1, "open"), order("A", 1, "late"));
		store(order("E", 1, "open"), order("C", 1, "open"), order("D", 2, "paid"));

		assertThat(states()).containsExactly("A 3 sent", "B 2 paid", "C 1 open", "D 2 paid", "E 1 open");
	}

	/** One frees what the other takes. */
	@Test
	void keepsTheOrderOfDifferentDocuments() {
		this.collection.createIndex(Indexes.ascending("state"), new IndexOptions().unique(true));
		store(order("A", 1, "x"));

		assertThat(store(order("A", 2, "free"), order("B", 5, "x"))).isEmpty();

		assertThat(states()).containsExactly("A 2 free", "B 5 x");
	}

	@Test
	void isNotHeldUpByAMarkThatSomebodyWroteByHand() {
		store(order("A", 1, "open"));
		this.collection.updateOne(Filters.eq("_id", "A"), Updates.set("_meta.erasedAt", "yesterday"));

		// else a conflict would be told by nobody, and the dead letters of A be emptied
		assertThat(new ErasedDocuments(this.collection).among(List.of("A"))).isEmpty();
		assertThat(store(order("A", 2, "paid"))).isEmpty();

		assertThat(states()).containsExactly("A 2 paid");
	}

	/** A query for a date finds one in an array, too. */
	@Test
	void keepsADocumentOutThatHasAnArrayOfErasures() {
		store(order("A", 1, "open"));
		this.collection.updateOne(Filters.eq("_id", "A"), Updates.set("_meta.erasedAt", List.of(new Date())));

		assertThat(new ErasedDocuments(this.collection).among(List.of("A"))).containsExactly("A");
		assertThat(store(order("A", 2, "paid"))).isEmpty();

		assertThat(states()).containsExactly("A 1 open");
		assertThat(this.meters.get("jobs.kept.out").counter().count()).isEqualTo(1);
	}

	@Test
	void tellsTheDocumentOfADeadLetterAndNotTheKey() {
		store(order("A", 1, "open"));

		assertThat(store(parse("customer-7", json("A", 1, "other"), null))).extracting(DeadLetter::documentId)
			.containsExactly("A");
	}

	/** Servers differ in whether it is less than a number. */
	@Test
	void isNotHeldUpByAVersionThatIsNoNumber() {
		this.collection.insertOne(new BsonDocument("_id", new BsonString("A")).append("_meta",
				new BsonDocument("version", new BsonDouble(Double.NaN))));

		assertThat(store(order("A", 5, "open"))).isEmpty();
	}

	@Test
	void keepsWhatSomebodyEdited() {
		store(order("A", 1, "open"));
		this.collection.updateOne(Filters.eq("_id", "A"), Updates.set("state", "edited"));

		assertThat(store(order("A", 1, "open"))).isEmpty();

		assertThat(states()).containsExactly("A 1 edited");
	}

	@Test
	void refusesADocumentForAnotherUniqueIndex() {
		this.collection.createIndex(Indexes.ascending("state"), new IndexOptions().unique(true));
		store(order("A", 1, "one"), order("B", 1, "two"));

		assertThat(store(order("A", 2, "two"), order("C", 1, "one"), order("B", 2, "three")))
			.extracting(DeadLetter::reason)
			.containsExactly(Reason.MONGODB, Reason.MONGODB);

		assertThat(states()).containsExactly("A 1 one", "B 2 three");
	}

	@Test
	void storesTheNextVersionWhereTheNewestIsRefused() {
		this.collection.createIndex(Indexes.ascending("state"), new IndexOptions().unique(true));
		store(order("B", 1, "taken"));

		assertThat(store(order("A", 1, "one"), order("A", 2, "taken"))).hasSize(1);

		assertThat(states()).containsExactly("A 1 one", "B 1 taken");
	}

	/** Two first versions at once can refuse the newer one. */
	@Test
	void storesTheNewestOfManyWriters() {
		for (int round = 0; round < 20; round++) {
			String id = "id-" + round;
			List<CompletableFuture<List<DeadLetter>>> writers = IntStream.range(0, 4)
				.mapToObj((i) -> CompletableFuture.supplyAsync(() -> store(order(id, i, "v" + i)),
						Thread::startVirtualThread))
				.toList();

			assertThat(writers).allSatisfy((writer) -> assertThat(writer.join()).isEmpty());
			assertThat(states()).contains(id + " 3 v3");
		}
	}

	@Test
	void storesTheNewestOfAHotId() {
		List<ParsedRecord> hot = new ArrayList<>();
		for (int version = 1; version <= 10_000; version++) {
			hot.add(order("A", version, "v"));
		}
		Collections.shuffle(hot, new Random(38));

		StoreBatch batch = this.store.batch();
		hot.forEach((one) -> batch.store(List.of(one)));
		assertThat(batch.end()).isEmpty();

		assertThat(states()).containsExactly("A 10000 v");
		double stored = this.meters.get("jobs.stored").counter().count();
		assertThat(stored + this.meters.get("jobs.superseded").counter().count()).isEqualTo(10_000);
		// only those that were the highest yet
		assertThat(stored).isLessThan(50);
	}

	private DocumentStore store(MongoCollection<BsonDocument> collection) {
		return new DocumentStore(collection, new StoreMetrics(this.meters), new StoredEvents(CLIENT, ORDERS),
				Records.properties("topic"), ORDERS);
	}

	private List<DeadLetter> store(ParsedRecord... records) {
		StoreBatch batch = this.store.batch();
		batch.store(List.of(records));
		return batch.end();
	}

	/** What is stored: id, version and state. */
	private List<String> states() {
		return this.collection.find()
			.map((stored) -> "%s %d %s".formatted(stored.getString("_id").getValue(),
					stored.getDocument("_meta").getNumber("version").longValue(),
					stored.containsKey("state") ? stored.getString("state").getValue() : "deleted"))
			.into(new ArrayList<>())
			.stream()
			.sorted()
			.toList();
	}

	private static ParsedRecord order(String id, long version, String state) {
		return parse(id, json(id, version, state), null);
	}

	private static String json(String id, long version, String state) {
		return "{\"orderNumber\":\"%s\",\"revision\":%d,\"state\":\"%s\"}".formatted(id, version, state);
	}

	private static ParsedRecord deletion(String id, @Nullable String version) {
		return parse(id, null, version);
	}

	private static ParsedRecord parse(String key, @Nullable String value, @Nullable String version) {
		return Records.order(ORDERS, OFFSETS.getAndIncrement(), key, value, version);
	}

}
