package jobs.kafkatomongo;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

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
import org.apache.kafka.common.header.Header;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

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

	private static final int MAX_KEY = 64 * 1024;

	/** Of one header that says something of the dead letter. */
	private static final int MAX_HEADER = 8 * 1024;

	private static final int MAX_HEADERS = 64 * 1024;

	private static final int MAX_REPLAYS = 100;

	private static final int MAX_COUNT = 1000;

	/** So that a document stays below MongoDB's 16 MiB, whatever a job may have. */
	private static final int MAX_VALUE = 8 * 1024 * 1024;

	private static final JsonMapper JSON = new JsonMapper();

	private final MongoCollection<BsonDocument> collection;

	private final MongoCollection<BsonDocument> bounded;

	private final int maxSize;

	private volatile boolean indexed;

	/**
	 * Prepares the collection.
	 * @param collection the collection
	 * @param maxSize the most bytes of a value that are kept; a larger one can be no job
	 */
	DeadLetterStore(MongoCollection<BsonDocument> collection, int maxSize) {
		this.collection = collection.withWriteConcern(WriteConcern.MAJORITY.withWTimeout(10, TimeUnit.SECONDS));
		this.bounded = this.collection.withTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
		this.maxSize = Math.min(maxSize, MAX_VALUE);
	}

	/**
	 * Creates the indexes that the queries need, once MongoDB is there.
	 */
	@Scheduled(fixedRate = 10, timeUnit = TimeUnit.SECONDS)
	void createIndexes() {
		if (this.indexed) {
			return;
		}
		try {
			this.collection.createIndex(Indexes.descending(FIRST_SEEN, "_id"));
			this.collection
				.createIndex(Indexes.compoundIndex(Indexes.ascending("state"), Indexes.descending(FIRST_SEEN, "_id")));
			this.collection.createIndex(Indexes.ascending("job"));
			this.indexed = true;
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
			BsonDocument document = document(record);
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
			throw failure;
		}
		logger.atError()
			.addKeyValue("count", failure.getWriteErrors().size())
			.addKeyValue("cause", failure.getWriteErrors().getFirst().getMessage())
			.log("MongoDB refuses dead letters, which are in the topic alone");
	}

	private BsonDocument document(ConsumerRecord<byte[], byte[]> record) {
		String position = position(record);
		BsonDocument document = new BsonDocument("_id", new BsonString(position));
		document.append("job", new BsonString(id(record, position)));
		document.append("state", new BsonString(State.OPEN.text()));
		document.append("reason", new BsonString(header(record, "dlt-reason", "unknown")));
		document.append("detail",
				new BsonString(header(record, "dlt-detail", "This record came without a reason to the topic")));
		String pointers = header(record, "dlt-pointers", "");
		if (!pointers.isEmpty()) {
			document.append("pointers", strings(pointers));
		}
		String code = header(record, "dlt-mongodb-code", "");
		if (code.matches("\\d{1,9}")) {
			document.append("code", new BsonInt32(Integer.parseInt(code)));
		}
		String replayOf = header(record, Replays.HEADER, "");
		if (!replayOf.isEmpty()) {
			document.append("replayOf", new BsonString(replayOf));
		}
		String timestamp = header(record, "dlt-original-timestamp", "");
		if (timestamp.matches("\\d{1,15}")) {
			document.append("acceptedAt", new BsonDateTime(Long.parseLong(timestamp)));
		}
		if (record.key() != null && record.key().length <= MAX_KEY) {
			document.append("key", textOrBytes(record.key()));
		}
		byte @Nullable [] value = record.value();
		String leftOut = header(record, "dlt-value-left-out", "");
		if (value != null && value.length <= this.maxSize) {
			document.append("value", textOrBytes(value));
		}
		else if (value != null || leftOut.matches("\\d{1,9}")) {
			document.append("valueLeftOut", new BsonInt32((value != null) ? value.length : Integer.parseInt(leftOut)));
		}
		addHeaders(record, document);
		return document;
	}

	/**
	 * The position of the original, which its headers tell; without them, as of a record
	 * that somebody else has written to the topic, its own.
	 */
	private static String position(ConsumerRecord<byte[], byte[]> record) {
		String topic = header(record, "dlt-original-topic", "");
		String partition = header(record, "dlt-original-partition", "");
		String offset = header(record, "dlt-original-offset", "");
		boolean known = topic.matches("[\\w.-]{1,249}") && partition.matches("\\d{1,10}")
				&& offset.matches("\\d{1,19}");
		return known ? topic + "#" + partition + "#" + offset : JobParser.position(record);
	}

	/**
	 * The id that the job would have got.
	 */
	private static String id(ConsumerRecord<byte[], byte[]> record, String position) {
		String key = (record.key() != null && record.key().length <= MAX_KEY) ? JobParser.text(record.key()) : null;
		return (key != null && !key.isEmpty()) ? key : position;
	}

	private static BsonArray strings(String json) {
		try {
			return new BsonArray(Stream.of(JSON.readValue(json, String[].class)).map(BsonString::new).toList());
		}
		catch (JacksonException | NullPointerException ex) {
			// somebody else's header
			return new BsonArray(List.of(new BsonString(json)));
		}
	}

	/**
	 * Adds the headers of the original, or says how many there is no place for.
	 */
	private static void addHeaders(ConsumerRecord<byte[], byte[]> record, BsonDocument document) {
		BsonArray headers = new BsonArray();
		int size = 0;
		int leftOut = 0;
		for (Header header : record.headers()) {
			int own = header.key().length() + ((header.value() != null) ? header.value().length : 0) + 32;
			if (header.key().startsWith(DeadLetters.HEADER)) {
				continue;
			}
			if (size + own > MAX_HEADERS) {
				leftOut++;
				continue;
			}
			size += own;
			BsonDocument one = new BsonDocument("name", new BsonString(header.key()));
			if (header.value() != null) {
				one.append("value", textOrBytes(header.value()));
			}
			headers.add(one);
		}
		document.append("headers", headers);
		if (leftOut > 0) {
			document.append("headersLeftOut", new BsonInt32(leftOut));
		}
	}

	private static String header(ConsumerRecord<byte[], byte[]> record, String name, String otherwise) {
		Header header = record.headers().lastHeader(name);
		if (header != null && header.value() != null && header.value().length > MAX_HEADER) {
			return otherwise;
		}
		String text = (header != null && header.value() != null) ? JobParser.text(header.value()) : null;
		return (text != null) ? text : otherwise;
	}

	private static BsonValue textOrBytes(byte[] bytes) {
		String text = JobParser.text(bytes);
		return (text != null) ? new BsonString(text) : new BsonBinary(bytes);
	}

	static byte[] bytes(BsonValue textOrBytes) {
		return textOrBytes.isBinary() ? textOrBytes.asBinary().getData()
				: textOrBytes.asString().getValue().getBytes(StandardCharsets.UTF_8);
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
	 * Whether a job is a dead letter that nobody has replayed since.
	 */
	boolean hasEnded(String job) {
		BsonDocument newest = newestOf(job);
		return newest != null && !newest.getString("state").getValue().equals(State.REPLAYED.text());
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

	long count(Bson filter) {
		return this.bounded.countDocuments(filter);
	}

	/**
	 * How many are open, a thousand at most.
	 */
	long countOpen() {
		return this.bounded.countDocuments(Filters.eq("state", State.OPEN.text()), new CountOptions().limit(MAX_COUNT));
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
