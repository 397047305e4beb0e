package jobs.kafkatomongo.store;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.ServerAddress;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.Updates;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.contract.NotAJobException;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetter.Reason;
import jobs.kafkatomongo.document.Job;
import jobs.kafkatomongo.document.JobParser;
import jobs.testkit.Backends;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class JobInsertsTests {

	private static final MongoClient CLIENT = MongoClients.create(Backends.get().mongo("test"));

	private final MongoCollection<BsonDocument> collection = CLIENT.getDatabase("test-" + UUID.randomUUID())
		.getCollection("jobs", BsonDocument.class);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final StoreMetrics metrics = new StoreMetrics(this.meters);

	private final JobInserts store = new JobInserts(this.collection, this.metrics);

	@AfterAll
	static void close() {
		CLIENT.close();
	}

	@Test
	void storesABatch() throws NotAJobException {
		assertThat(this.store.store(List.of(job("1", "a"), job("2", "b")))).isEmpty();

		assertThat(this.collection.find()
			.map((document) -> document.getString("title").getValue())
			.into(new ArrayList<>())).containsExactlyInAnyOrder("a", "b");
	}

	@Test
	void countsWhatItStoresRecognisesAndRefuses() throws NotAJobException {
		this.store.store(List.of(job("1", "a"), job("2", "b")));

		this.store.store(List.of(job("1", "a"), job("2", "other"), job("3", "c")));

		assertThat(this.meters.get("jobs.stored").counter().count()).isEqualTo(3);
		assertThat(this.meters.get("jobs.duplicates").counter().count()).isEqualTo(1);
		assertThat(this.meters.get("jobs.end.to.end").timer().count()).isEqualTo(3);
	}

	@Test
	void takesAJobThatIsStoredAlreadyForStored() throws NotAJobException {
		this.store.store(List.of(job("1", "a"), job("2", "b")));

		assertThat(this.store.store(List.of(job("1", "a"), job("3", "c"), job("2", "b")))).isEmpty();

		assertThat(this.collection.countDocuments()).isEqualTo(3);
	}

	@Test
	void takesTheSameJobTwiceInOneBatchForOne() throws NotAJobException {
		assertThat(this.store.store(List.of(job("1", "a"), job("1", "a"), job("2", "b")))).isEmpty();

		assertThat(this.collection.countDocuments()).isEqualTo(2);
	}

	@Test
	void refusesAnotherJobUnderTheSameIdAndStoresItsNeighbours() throws NotAJobException {
		this.store.store(List.of(job("1", "first")));

		List<DeadLetter> refused = this.store.store(List.of(job("0", "a"), job("1", "second"), job("2", "b")));

		assertThat(refused).extracting(DeadLetter::reason).containsExactly(Reason.CONFLICT);
		assertThat(this.collection.countDocuments()).isEqualTo(3);
		assertThat(titles(Filters.eq("_id", "1"))).containsExactly("first");
	}

	@Test
	void takesAJobThatWasFormattedAnewForStored() throws NotAJobException {
		this.store.store(List.of(job("1", "a")));

		assertThat(this.store.store(List.of(parse("1", "{ \"title\" : \"a\" }")))).isEmpty();
	}

	@Test
	void keepsWhatSomebodyEdited() throws NotAJobException {
		this.store.store(List.of(job("1", "a")));
		this.collection.updateOne(Filters.eq("_id", "1"), Updates.set("title", "edited"));

		assertThat(this.store.store(List.of(job("1", "a")))).isEmpty();

		assertThat(titles(Filters.eq("_id", "1"))).containsExactly("edited");
	}

	@Test
	void refusesAJobThatAnotherUniqueIndexForbids() throws NotAJobException {
		this.collection.createIndex(Indexes.ascending("title"), new IndexOptions().unique(true));
		this.store.store(List.of(job("1", "a")));

		List<DeadLetter> refused = this.store.store(List.of(job("2", "a"), job("3", "b")));

		assertThat(refused).singleElement().satisfies((deadLetter) -> {
			assertThat(deadLetter.reason()).isEqualTo(Reason.MONGODB);
			assertThat(deadLetter.code()).isEqualTo(11000);
		});
		assertThat(this.collection.countDocuments()).isEqualTo(2);
	}

	@Test
	void refusesAJobThatAValidatorForbids() throws NotAJobException {
		JobInserts forbidding = new JobInserts(
				answering(new BulkWriteError(121, "not as it must be", new BsonDocument(), 1)), this.metrics);

		List<DeadLetter> refused = forbidding.store(List.of(job("1", "a"), job("2", "b")));

		assertThat(refused).singleElement().satisfies((deadLetter) -> {
			assertThat(deadLetter.reason()).isEqualTo(Reason.MONGODB);
			assertThat(deadLetter.code()).isEqualTo(121);
			assertThat(deadLetter.record().key()).isEqualTo("2".getBytes(StandardCharsets.UTF_8));
		});
	}

	@Test
	void waitsOutAnErrorThatSaysNothingAboutAJob() {
		JobInserts failing = new JobInserts(
				answering(new BulkWriteError(121, "not as it must be", new BsonDocument(), 0),
						new BulkWriteError(14031, "out of disk space", new BsonDocument(), 1)),
				this.metrics);

		assertThatExceptionOfType(MongoException.class)
			.isThrownBy(() -> failing.store(List.of(job("1", "a"), job("2", "b"))));
	}

	@Test
	void saysWhyABatchIsNotStoredWithoutTheValuesOfItsJobs() {
		JobInserts failing = new JobInserts(
				answering(new BulkWriteError(11000, "E11000 dup key: a secret", new BsonDocument(), 0),
						new BulkWriteError(14031, "out of disk space", new BsonDocument(), 1)),
				this.metrics);

		assertThatExceptionOfType(MongoException.class)
			.isThrownBy(() -> failing.store(List.of(job("1", "a"), job("2", "b"))))
			.withMessageContaining("out of disk space")
			.withMessageNotContaining("secret")
			.withNoCause();
	}

	/**
	 * A collection that takes all of a batch but what it has errors for: the stand-in
	 * knows no validators.
	 */
	@SuppressWarnings("unchecked")
	private static MongoCollection<BsonDocument> answering(BulkWriteError... errors) {
		MongoCollection<BsonDocument> collection = Mockito.mock(MongoCollection.class, Mockito.RETURNS_SELF);
		BDDMockito
			.given(collection.insertMany(ArgumentMatchers.anyList(), ArgumentMatchers.any(InsertManyOptions.class)))
			.willThrow(new MongoBulkWriteException(BulkWriteResult.unacknowledged(), List.of(errors), null,
					new ServerAddress(), Set.of()));
		return collection;
	}

	@Test
	void throwsWhenMongoDbIsAway() {
		try (MongoClient away = MongoClients
			.create("mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100&connectTimeoutMS=100")) {
			JobInserts nowhere = new JobInserts(away.getDatabase("test").getCollection("jobs", BsonDocument.class),
					this.metrics);

			assertThatExceptionOfType(MongoException.class).isThrownBy(() -> nowhere.store(List.of(job("1", "a"))));
		}
	}

	private List<String> titles(Bson filter) {
		return this.collection.find(filter)
			.map((document) -> document.getString("title").getValue())
			.into(new ArrayList<>());
	}

	private static Job job(String id, String title) throws NotAJobException {
		return parse(id, "{\"title\":\"%s\"}".formatted(title));
	}

	private static Job parse(String id, String json) throws NotAJobException {
		return new JobParser(Clock.systemUTC(), 1 << 20).parse(Records.record(id, json));
	}

}
