package jobs.kafkatomongo;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.CountOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.PushOptions;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.WriteModel;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * The dead letters as documents of {@code db.deadLetters}, beside the jobs: what the
 * dead-letter topic says of a record, and what people have done with it since.
 */
class DeadLetterStore {

	static final String FIRST_SEEN = "firstSeen";

	private static final Logger logger = LoggerFactory.getLogger(DeadLetterStore.class);

	private static final long TIMEOUT_SECONDS = 5;

	/** Documents held at a time, of which each may take a megabyte. */
	private static final int FEW = 5;

	private static final int MAX_REPLAYS = 100;

	private static final int MAX_OPEN = 1000;

	/** To count is to read them, as large as they are, within the time a request has. */
	private static final int MAX_COUNT = 10_000;

	private final MongoCollection<BsonDocument> collection;

	private final MongoCollection<BsonDocument> bounded;

	private final int maxSize;

	private volatile Instant indexed = Instant.EPOCH;

	/**
	 * Prepares the collection.
	 * @param collection the collection
	 * @param maxSize the most bytes of a value that are kept; a larger one can be no job
	 */
	DeadLetterStore(MongoCollection<BsonDocument> collection, int maxSize) {
		this.collection = collection.withWriteConcern(WriteConcern.MAJORITY.withWTimeout(10, TimeUnit.SECONDS));
		this.bounded = this.collection.withTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
		this.maxSize = maxSize;
	}

	/**
	 * Creates the indexes that the queries need, once MongoDB is there, and again after
	 * somebody has dropped the collection.
	 */
	@Scheduled(fixedRate = 10, timeUnit = TimeUnit.SECONDS)
	void createIndexes() {
		if (this.indexed.isAfter(Instant.now().minus(StoredJobs.INDEXED_AGAIN))) {
			return;
		}
		try {
			this.collection.createIndex(Indexes.descending(FIRST_SEEN, "_id"));
			this.collection
				.createIndex(Indexes.compoundIndex(Indexes.ascending("state"), Indexes.descending(FIRST_SEEN, "_id")));
			this.collection
				.createIndex(Indexes.compoundIndex(Indexes.ascending("job"), Indexes.descending(FIRST_SEEN, "_id")));
			this.collection
				.createIndex(Indexes.compoundIndex(Indexes.ascending("reason"), Indexes.descending(FIRST_SEEN, "_id")));
			this.indexed = Instant.now();
		}
		catch (MongoException ex) {
			logger.warn("The indexes of GET /dead-letters can't be created now: {}", ex.getMessage());
		}
	}

	/**
	 * Keeps records of the dead-letter topic, each in a document of a bounded size. One
	 * that is kept already, which its original position tells, stays as it is, with what
	 * was done with it.
	 * @param records the records
	 * @throws MongoException when not all are safe: keep them again later
	 */
	void keep(List<ConsumerRecord<byte[], byte[]>> records) {
		List<WriteModel<BsonDocument>> writes = new ArrayList<>();
		for (ConsumerRecord<byte[], byte[]> record : records) {
			BsonDocument document = DeadLetterDocument.of(record, this.maxSize);
			BsonValue id = document.remove("_id");
			BsonDateTime seen = new BsonDateTime(record.timestamp());
			writes.add(new UpdateOneModel<>(
					Filters.eq("_id", id), Updates.combine(new BsonDocument("$setOnInsert", document),
							Updates.min(FIRST_SEEN, seen), Updates.max("lastSeen", seen)),
					new UpdateOptions().upsert(true)));
		}
		try {
			this.collection.bulkWrite(writes, new BulkWriteOptions().ordered(false));
		}
		catch (MongoBulkWriteException ex) {
			requireOthers(ex);
		}
	}

	/**
	 * Goes on without documents that a validator of somebody's refuses: they are in the
	 * topic, and would hold up all that come after them.
	 */
	private static void requireOthers(MongoBulkWriteException failure) {
		boolean refused = failure.getWriteConcernError() == null
				&& failure.getWriteErrors().stream().allMatch((error) -> JobStore.isAboutTheDocument(error.getCode()));
		if (!refused) {
			throw JobStore.unsafe(failure);
		}
		logger.atError()
			.addKeyValue("count", failure.getWriteErrors().size())
			.addKeyValue("cause", failure.getWriteErrors().getFirst().getMessage())
			.log("MongoDB refuses dead letters, which are in the topic alone");
	}

	@Nullable BsonDocument find(String id) {
		return this.bounded.find(Filters.eq("_id", id)).first();
	}

	/**
	 * The newest dead letter of a job, without its value.
	 */
	@Nullable BsonDocument newestOf(String job) {
		return this.bounded.find(Filters.eq("job", job))
			.projection(Projections.exclude("value", "headers"))
			.sort(Sorts.descending(FIRST_SEEN, "_id"))
			.first();
	}

	/**
	 * Whether a job has become a dead letter that nobody has replayed since.
	 * @param since an older one may be of a job that was sent before with the same id
	 */
	boolean hasEnded(String job, Instant since) {
		BsonDocument newest = newestOf(job);
		return newest != null && newest.getDateTime(FIRST_SEEN).getValue() >= since.toEpochMilli()
				&& !newest.getString("state").getValue().equals(State.REPLAYED.text());
	}

	FindIterable<BsonDocument> list(Bson filter, Position after, int limit) {
		return this.bounded.find(Filters.and(filter, after.after(FIRST_SEEN)))
			.sort(Sorts.descending(FIRST_SEEN, "_id"))
			.limit(limit)
			.batchSize(FEW);
	}

	/**
	 * Those of a filter, the oldest first.
	 * @param filter the filter
	 * @param last the last one of the page before, or {@code null}
	 * @param limit the most to list
	 */
	List<BsonDocument> select(Bson filter, @Nullable BsonDocument last, int limit) {
		Bson after = (last != null)
				? Filters.or(Filters.gt(FIRST_SEEN, last.get(FIRST_SEEN)),
						Filters.and(Filters.eq(FIRST_SEEN, last.get(FIRST_SEEN)), Filters.gt("_id", last.get("_id"))))
				: new BsonDocument();
		return this.bounded.find(Filters.and(filter, after))
			.sort(Sorts.ascending(FIRST_SEEN, "_id"))
			.limit(limit)
			.batchSize(FEW)
			.into(new ArrayList<>());
	}

	/**
	 * How many there are of a filter, ten thousand at most.
	 */
	long count(Bson filter) {
		return this.bounded.countDocuments(filter, new CountOptions().limit(MAX_COUNT));
	}

	/**
	 * How many are open, a thousand at most.
	 */
	long countOpen() {
		return this.bounded.countDocuments(Filters.eq("state", State.OPEN.text()), new CountOptions().limit(MAX_OPEN));
	}

	/**
	 * Notes that dead letters were replayed; the last hundred times are kept.
	 * @param positions where the new records stand, by the ids of the dead letters
	 * @param corrected whether with another value
	 */
	void replayed(Map<String, String> positions, boolean corrected) {
		List<WriteModel<BsonDocument>> writes = new ArrayList<>();
		positions.forEach((id, position) -> {
			BsonDocument replay = new BsonDocument("at", now()).append("position", new BsonString(position))
				.append("corrected", BsonBoolean.valueOf(corrected));
			writes.add(new UpdateOneModel<>(Filters.eq("_id", id),
					Updates.combine(Updates.set("state", State.REPLAYED.text()),
							Updates.pushEach("replays", List.of(replay), new PushOptions().slice(-MAX_REPLAYS)))));
		});
		if (!writes.isEmpty()) {
			this.bounded.bulkWrite(writes, new BulkWriteOptions().ordered(false));
		}
	}

	/**
	 * Notes that a dead letter is of no use; it stays, as a record.
	 * @return whether there is such a dead letter
	 */
	boolean discard(String id) {
		return this.bounded.updateOne(Filters.eq("_id", id), discarded()).getMatchedCount() > 0;
	}

	long discardAll(Bson filter) {
		return this.bounded.updateMany(filter, discarded()).getModifiedCount();
	}

	private static Bson discarded() {
		return Updates.combine(Updates.set("state", State.DISCARDED.text()), Updates.set("discardedAt", now()));
	}

	private static BsonDateTime now() {
		return new BsonDateTime(Instant.now().toEpochMilli());
	}

	/**
	 * What people have done with a dead letter.
	 */
	enum State {

		/** Nothing. */
		OPEN,

		/** It was published again, as it was or corrected. */
		REPLAYED,

		/** It is of no use. */
		DISCARDED;

		String text() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
