package jobs.kafkatomongo.deadletter;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.ServerAddress;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.WriteModel;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.document.ErasedDocuments;
import jobs.kafkatomongo.document.Tombstone;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import jobs.testkit.Backends;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.mockito.stubbing.Answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Each record of the dead-letter topic is one document, whatever else is there.
 */
class DeadLetterWritesTests {

	private static final BulkWriteResult NOTHING = BulkWriteResult.acknowledged(0, 0, 0, 0, List.of(), List.of());

	private final MongoClient client = MongoClients.create(Backends.get().mongo("test"));

	private final MongoCollection<BsonDocument> collection = this.client.getDatabase("test-" + UUID.randomUUID())
		.getCollection("deadLetters", BsonDocument.class);

	private final MongoCollection<BsonDocument> jobs = this.client.getDatabase("test-" + UUID.randomUUID())
		.getCollection("jobs", BsonDocument.class);

	private final DeadLetterWrites writes = new DeadLetterWrites(this.collection, 1 << 20, Records.properties("jobs"),
			new ErasedDocuments(this.jobs));

	@AfterEach
	void close() {
		this.client.close();
	}

	/**
	 * A topic that was deleted and created anew has the same positions again.
	 */
	@Test
	void keepsADeadLetterOfATopicThatWasCreatedAnewBesideTheOldOne() {
		List<ConsumerRecord<byte[], byte[]>> records = List.of(deadLetter("old", 1000), deadLetter("new", 2000));
		this.writes.keep(records.subList(0, 1));

		for (int i = 0; i < 3; i++) {
			this.writes.keep(records);
		}

		assertThat(ids()).containsExactlyInAnyOrder("jobs#0#5", "jobs#0#5@2000");
		assertThat(this.collection.find().map((document) -> document.getString("value").getValue()))
			.containsExactlyInAnyOrder("old", "new");
	}

	/** It may have been on its way, or is read again. */
	@Test
	void keepsNothingOfADeadLetterWhoseJobWasErased() {
		String job = DeadLetterCodec.toDocument(deadLetter("secret", 1000), 100).getString("job").getValue();
		this.jobs.insertOne(Tombstone.of(job, Instant.now()));

		for (int i = 0; i < 2; i++) {
			this.writes.keep(List.of(deadLetter("secret", 1000)));

			assertThat(this.collection.find()).singleElement().satisfies((document) -> {
				assertThat(document.getString("state").getValue()).isEqualTo("erased");
				assertThat(document.toJson()).doesNotContain("secret");
			});
		}
	}

	@Test
	void goesOnWhereAUniqueIndexOfTheUserRefusesOne() {
		this.collection.createIndex(Indexes.ascending("value"), new IndexOptions().unique(true));
		this.writes.keep(List.of(deadLetter("same", 1000)));

		this.writes.keep(List.of(at(6, "same", 1000), at(7, "other", 1000)));

		assertThat(ids()).containsExactlyInAnyOrder("jobs#0#5", "jobs#0#7");
	}

	/** Its id is made only once another document has the first one. */
	@Test
	void goesOnWhereMongoDbRefusesATwinForAReasonThatNobodyKnows() {
		this.writes.keep(List.of(at(4, "kept", 1000)));
		DeadLetterWrites waiting = writesTo((call) -> {
			String write = call.getArgument(0).toString();
			throw new MongoBulkWriteException(NOTHING, List.of(write.contains("#5@2000")
					? new BulkWriteError(4711, "no", new BsonDocument(), 0)
					: new BulkWriteError(MongoErrorCodes.DUPLICATE_KEY, "index: _id_ dup key", new BsonDocument(), 0)),
					null, new ServerAddress(), Set.of());
		});

		awaitKept(waiting, List.of(deadLetter("new", 2000)));
	}

	/** As a document may, of whose code this version knows nothing. */
	@Test
	void goesOnWhereOneFailsTheWholeCommand() {
		DeadLetterWrites waiting = writesTo((call) -> {
			List<WriteModel<BsonDocument>> writes = call.getArgument(0);
			if (writes.toString().contains("jobs#0#5")) {
				throw new MongoCommandException(BsonDocument.parse("{ok: 0, code: 4711, errmsg: 'no'}"),
						new ServerAddress());
			}
			return this.collection.bulkWrite(writes);
		});

		awaitKept(waiting, List.of(deadLetter("bad", 1000), at(6, "good", 1000), at(7, "good", 1000)));

		assertThat(ids()).containsExactlyInAnyOrder("jobs#0#6", "jobs#0#7");
	}

	/**
	 * Alone it may be refused for a reason of MongoDB's, which is asked about another.
	 */
	@Test
	void goesOnWhereOneAloneFailsItsCommandOnceMongoDbRecognisesAnother() {
		DeadLetterWrites refusing = writesTo((call) -> {
			throw new MongoCommandException(BsonDocument.parse("{ok: 0, code: 4711, errmsg: 'no'}"),
					new ServerAddress());
		});
		List<ConsumerRecord<byte[], byte[]>> bad = List.of(deadLetter("bad", 1000));
		for (int i = 0; i < 20; i++) {
			assertThatExceptionOfType(MongoException.class).isThrownBy(() -> refusing.keep(bad));
		}
		this.writes.keep(List.of(at(4, "kept", 1000)));
		Document before = this.collection.find(Document.class).first();

		awaitKept(refusing, bad);

		assertThat(this.collection.find(Document.class)).containsExactly(before);
	}

	/** Writes to a collection whose bulk writes are answered so. */
	@SuppressWarnings("unchecked")
	private DeadLetterWrites writesTo(Answer<BulkWriteResult> answer) {
		MongoCollection<BsonDocument> collection = Mockito.mock(MongoCollection.class,
				Mockito.withSettings().stubOnly().defaultAnswer(Mockito.RETURNS_SELF));
		BDDMockito.given(collection.bulkWrite(ArgumentMatchers.anyList(), ArgumentMatchers.any(BulkWriteOptions.class)))
			.willAnswer(answer);
		BDDMockito.given(collection.find(ArgumentMatchers.any(Bson.class)))
			.willAnswer((call) -> this.collection.find(call.<Bson>getArgument(0)));
		BDDMockito.given(collection.updateOne(ArgumentMatchers.any(Bson.class), ArgumentMatchers.any(Bson.class)))
			.willAnswer((call) -> this.collection.updateOne(call.<Bson>getArgument(0), call.<Bson>getArgument(1)));
		return new DeadLetterWrites(collection, 1 << 20, Records.properties("jobs"), new ErasedDocuments(this.jobs));
	}

	private static void awaitKept(DeadLetterWrites writes, List<ConsumerRecord<byte[], byte[]>> records) {
		Awaitility.await().atMost(30, TimeUnit.SECONDS).ignoreExceptionsInstanceOf(MongoException.class).until(() -> {
			writes.keep(records);
			return true;
		});
	}

	private List<String> ids() {
		return this.collection.find().map((document) -> document.getString("_id").getValue()).into(new ArrayList<>());
	}

	private static ConsumerRecord<byte[], byte[]> deadLetter(String value, long timestamp) {
		return at(5, value, timestamp);
	}

	private static ConsumerRecord<byte[], byte[]> at(long offset, String value, long timestamp) {
		RecordHeaders headers = new RecordHeaders();
		Map.of("dlt-reason", "contract", "dlt-detail", "no", "dlt-original-topic", "jobs", "dlt-original-partition",
				"0", "dlt-original-offset", Long.toString(offset), "dlt-original-timestamp", Long.toString(timestamp))
			.forEach((name, text) -> headers.add(name, text.getBytes(StandardCharsets.UTF_8)));
		return new ConsumerRecord<>("jobs-dlt", 0, timestamp, timestamp, TimestampType.CREATE_TIME, 0, 0,
				Records.utf8("key"), Records.utf8(value), headers, Optional.empty());
	}

}
