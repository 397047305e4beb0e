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
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.WriteModel;
import com.mongodb.client.result.UpdateResult;
import jobs.kafkatomongo.deadletter.DeadLetter.State;
import jobs.kafkatomongo.mongo.MongoConfiguration;
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

	/** Dead letters of a page in memory; they may be larger than jobs. */
	private static final int DEAD_LETTER_BATCH = 5;

	/** Entries in the history of a dead letter, the last ones. */
	private static final int HISTORY = 100;

	/** Dead letters that are counted, of the open ones. */
	private static final int COUNTED_OPEN = 1000;

	/** Dead letters that are counted, of a filter. */
	private static final int COUNTED = 10000;

	/** The field of the time when a dead letter was first seen; it sorts all lists. */
	public static final String FIRST_SEEN = "firstSeen";

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

	/**
	 * The newest dead letter of a job, without value, headers and history, or
	 * {@code null}. A document that somebody wrote by hand counts if it has an id and a
	 * time as ours do.
	 */
	public @Nullable BsonDocument newestOf(String job) {
		return this.collection
			.find(Filters.and(Filters.eq("job", job), Filters.type(FIRST_SEEN, BsonType.DATE_TIME),
					Filters.gte("_id", "")))
			.projection(Projections.exclude("value", "headers", "history"))
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
		positions.forEach((id, position) -> writes.add(new UpdateOneModel<>(Filters.eq("_id", id),
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
		return this.collection.updateMany(Filters.and(filter, Filters.ne("state", State.DISCARDED.text())),
				update(State.DISCARDED, entry));
	}

	private static Bson update(State state, BsonDocument entry) {
		return Updates.combine(Updates.set("state", state.text()),
				Updates.pushEach("history", List.of(entry), new PushOptions().slice(-HISTORY)));
	}

}
