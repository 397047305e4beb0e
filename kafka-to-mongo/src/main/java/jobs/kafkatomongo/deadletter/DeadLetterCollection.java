package jobs.kafkatomongo.deadletter;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import com.mongodb.WriteConcern;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.CountOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.PushOptions;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.WriteModel;
import com.mongodb.client.result.UpdateResult;
import jobs.kafkatomongo.deadletter.DeadLetter.State;
import jobs.kafkatomongo.mongo.MongoConfiguration;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * The dead letters as documents of {@code db.deadLetters}: what their topic says, and
 * what people have done with them since.
 */
public class DeadLetterCollection {

	/** Dead letters of a page in memory; they may be larger than documents. */
	private static final int DEAD_LETTER_BATCH = 5;

	/** Entries in the history of a dead letter, the last ones. */
	private static final int HISTORY = 100;

	/** Dead letters of a document that one request erases. */
	private static final int ERASED_AT_ONCE = 1000;

	/** Dead letters that are counted, of the open ones. */
	private static final int COUNTED_OPEN = 1000;

	/** Dead letters that are counted, of a filter. */
	private static final int COUNTED = 10000;

	/** The field of the time when a dead letter was first seen; it sorts all lists. */
	public static final String FIRST_SEEN = "firstSeen";

	/** What stays of a dead letter that is erased: its position and times. */
	private static final List<String> KEPT_OF_ERASED = List.of("job", "reason", DeadLetterFact.TIMESTAMP.field,
			FIRST_SEEN, DeadLetterWrites.SEEN);

	private static final Bson WITHOUT_CONTENT = Projections.exclude("value", "headers", "history");

	private static final Bson NEWEST_FIRST = Sorts.descending(FIRST_SEEN, "_id");

	private final MongoCollection<BsonDocument> collection;

	public DeadLetterCollection(MongoCollection<BsonDocument> collection) {
		this.collection = collection.withWriteConcern(WriteConcern.MAJORITY)
			.withTimeout(MongoConfiguration.QUERY_TIME.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** The dead letter with an id, its original position, or {@code null}. */
	public @Nullable BsonDocument find(String id) {
		return this.collection.find(Filters.eq("_id", id)).first();
	}

	/** As {@link #find}, without value, headers and history, which may be large. */
	public @Nullable BsonDocument findWithoutContent(String id) {
		return this.collection.find(Filters.eq("_id", id)).projection(WITHOUT_CONTENT).first();
	}

	/**
	 * The newest dead letter of a document, without value, headers and history, or
	 * {@code null}. A document that somebody wrote by hand counts if it has an id and a
	 * time as ours do.
	 */
	public @Nullable BsonDocument newestOf(String id) {
		return this.collection
			.find(Filters.and(Filters.eq("job", id), Filters.type(FIRST_SEEN, BsonType.DATE_TIME),
					Filters.gte("_id", "")))
			.projection(WITHOUT_CONTENT)
			.sort(NEWEST_FIRST)
			.first();
	}

	/** Lists the dead letters of a filter, the newest first. */
	public FindIterable<BsonDocument> list(Bson filter, int limit) {
		return this.collection.find(filter).sort(NEWEST_FIRST).limit(limit).batchSize(DEAD_LETTER_BATCH);
	}

	/** Selects dead letters of a filter after {@code last}, if any, the oldest first. */
	public List<BsonDocument> select(Bson filter, @Nullable BsonDocument last, int limit) {
		// the first bound is where the index is entered; without it each page would read
		// all before it
		Bson after = (last != null)
				? Filters.and(Filters.gte(FIRST_SEEN, last.get(FIRST_SEEN)),
						Filters.or(Filters.gt(FIRST_SEEN, last.get(FIRST_SEEN)), Filters.gt("_id", last.get("_id"))))
				: new BsonDocument();
		return this.collection.find(Filters.and(filter, after))
			.sort(Sorts.ascending(FIRST_SEEN, "_id"))
			.limit(limit)
			.batchSize(DEAD_LETTER_BATCH)
			.into(new ArrayList<>());
	}

	/**
	 * Counts the dead letters of a filter up to {@link #COUNTED}, since counting reads
	 * whole documents.
	 */
	public long count(Bson filter) {
		return this.collection.countDocuments(filter, new CountOptions().limit(COUNTED));
	}

	/** Counts the open dead letters up to {@link #COUNTED_OPEN}. */
	public long countOpen() {
		return this.collection.countDocuments(Filters.eq("state", State.OPEN.text()),
				new CountOptions().limit(COUNTED_OPEN));
	}

	/**
	 * Notes replays: the id of each dead letter, with the position of its new record.
	 * @param entry what the history of each gets, beside the position
	 */
	public void replayed(Map<String, String> positions, BsonDocument entry) {
		List<WriteModel<BsonDocument>> writes = new ArrayList<>();
		positions.forEach((id, position) -> writes
			.add(new UpdateOneModel<>(Filters.and(Filters.eq("_id", id), Filters.ne("state", State.ERASED.text())),
					update(State.REPLAYED, entry.clone().append("position", new BsonString(position))))));
		if (!writes.isEmpty()) {
			this.collection.bulkWrite(writes, new BulkWriteOptions().ordered(false));
		}
	}

	/**
	 * Marks dead letters as of no use, and keeps them as a record. Those that are so
	 * already stay as they are.
	 * @param entry what the history of each gets
	 */
	public UpdateResult discard(Bson filter, BsonDocument entry) {
		return this.collection.updateMany(
				Filters.and(filter, Filters.nin("state", State.DISCARDED.text(), State.ERASED.text())),
				update(State.DISCARDED, entry));
	}

	/**
	 * Erases the content of the dead letters of a document, of {@link #ERASED_AT_ONCE} at
	 * most. A mark stays of each, which keeps the record in the topic from being kept
	 * again.
	 * @param entry what is left of the history of each
	 * @return how many were erased
	 */
	public int erase(String id, BsonDocument entry) {
		List<WriteModel<BsonDocument>> writes = new ArrayList<>();
		this.collection.find(notErased(id))
			.projection(Projections.include(KEPT_OF_ERASED))
			.limit(ERASED_AT_ONCE)
			.forEach((kept) -> writes.add(new ReplaceOneModel<>(Filters.eq("_id", kept.get("_id")),
					kept.append("state", new BsonString(State.ERASED.text()))
						.append("detail", new BsonString("What this dead letter had was erased"))
						.append("headers", new BsonArray())
						.append("history", new BsonArray(List.of(entry))))));
		if (!writes.isEmpty()) {
			this.collection.bulkWrite(writes, new BulkWriteOptions().ordered(false));
		}
		return writes.size();
	}

	/** Whether a document has dead letters that are not erased. */
	public boolean hasAny(String id) {
		return this.collection.find(notErased(id)).projection(Projections.include("_id")).first() != null;
	}

	private static Bson notErased(String id) {
		return Filters.and(Filters.eq("job", id), Filters.ne("state", State.ERASED.text()));
	}

	private static Bson update(State state, BsonDocument entry) {
		return Updates.combine(Updates.set("state", state.text()),
				Updates.pushEach("history", List.of(entry), new PushOptions().slice(-HISTORY)));
	}

}
