package jobs.kafkatomongo.deadletter;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.WriteModel;
import jobs.kafkatomongo.limits.KafkaToMongoProperties;
import jobs.kafkatomongo.limits.Limits;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import jobs.kafkatomongo.mongo.Suspects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the dead letters of the topic in MongoDB. It goes on past those that MongoDB
 * refuses: they are in the topic, and would hold up all later ones.
 */
class DeadLetterWrites {

	private static final Logger logger = LoggerFactory.getLogger(DeadLetterWrites.class);

	/** The field of the time when a dead letter was last seen. */
	private static final String SEEN = "lastSeen";

	private final MongoCollection<BsonDocument> collection;

	private final int maxSize;

	private final AtomicLong kept = new AtomicLong();

	private final Suspects suspects;

	/** Keeps values of up to {@code max-job-size}; a larger value can't be a job. */
	DeadLetterWrites(MongoCollection<BsonDocument> collection, KafkaToMongoProperties properties) {
		this.collection = collection.withWriteConcern(
				WriteConcern.MAJORITY.withWTimeout(Limits.MAJORITY_WAIT.toMillis(), TimeUnit.MILLISECONDS));
		this.maxSize = Math.toIntExact(properties.maxJobSize().toBytes());
		this.suspects = new Suspects(properties, this.kept::get);
	}

	/**
	 * Keeps each record as a document under its original position. Of a document that
	 * exists, only the times when it was seen change. Where the document is of another
	 * record, as a topic that was created anew has at the same position, the time of the
	 * record is part of the id. Throws {@link MongoException} when not all records are
	 * safe; the caller then keeps them again.
	 */
	void keep(List<ConsumerRecord<byte[], byte[]>> records) {
		List<BsonDocument> documents = new ArrayList<>();
		for (ConsumerRecord<byte[], byte[]> record : records) {
			documents
				.add(DeadLetterDocument.of(record, this.maxSize).append(SEEN, new BsonDateTime(record.timestamp())));
		}
		this.suspects
			.retain(documents.stream().flatMap((document) -> Stream.of(id(document), idOfTwin(document))).toList());
		List<BsonDocument> twins = keepAll(documents);
		// another instance may have kept the same record at this moment
		twins = twins.isEmpty() ? twins : keepAll(twins);
		if (!twins.isEmpty()) {
			twins.forEach((twin) -> twin.put("_id", idOfTwin(twin)));
			keepAll(twins);
		}
	}

	/** Returns those whose id another document has. */
	private List<BsonDocument> keepAll(List<BsonDocument> documents) {
		long before = this.kept.get();
		try {
			this.collection.bulkWrite(documents.stream().map(DeadLetterWrites::write).toList(),
					new BulkWriteOptions().ordered(false));
			this.kept.addAndGet(documents.size());
			return List.of();
		}
		catch (MongoBulkWriteException ex) {
			if (ex.getWriteConcernError() != null) {
				throw MongoErrorCodes.unsafe(ex);
			}
			this.kept.addAndGet(documents.size() - ex.getWriteErrors().size());
			return twins(documents, ex, before);
		}
		catch (MongoCommandException ex) {
			if (MongoErrorCodes.isOutage(ex)) {
				throw ex;
			}
			return keepEach(documents, ex, before);
		}
	}

	/** As {@link #keepAll}, where one document may have failed the whole command. */
	private List<BsonDocument> keepEach(List<BsonDocument> documents, MongoCommandException failure, long before) {
		if (documents.size() == 1) {
			BsonDocument document = documents.getFirst();
			if (!this.suspects.isGivenUp(id(document), before, true)) {
				throw failure;
			}
			logRefusal(document, failure.getCode());
			return List.of();
		}
		List<BsonDocument> twins = new ArrayList<>();
		MongoException wait = null;
		for (BsonDocument document : documents) {
			try {
				twins.addAll(keepAll(List.of(document)));
			}
			catch (MongoException ex) {
				if (MongoErrorCodes.isOutage(ex)) {
					throw ex;
				}
				wait = ex;
			}
		}
		if (wait != null) {
			throw wait;
		}
		return twins;
	}

	private static WriteModel<BsonDocument> write(BsonDocument document) {
		BsonDocument fields = document.clone();
		BsonValue seen = fields.remove(SEEN);
		Bson same = Filters.eq("_id", fields.remove("_id"));
		BsonValue acceptedAt = fields.remove(DeadLetterDocument.ACCEPTED_AT);
		return new UpdateOneModel<>(
				(acceptedAt != null) ? Filters.and(same, Filters.eq(DeadLetterDocument.ACCEPTED_AT, acceptedAt)) : same,
				Updates.combine(new BsonDocument("$setOnInsert", fields),
						Updates.min(DeadLetterCollection.FIRST_SEEN, seen), Updates.max(SEEN, seen)),
				new UpdateOptions().upsert(true));
	}

	/**
	 * Finds the documents whose id is taken. It goes on without those that MongoDB
	 * refuses, as a validator or a unique index may. Throws for any other failure.
	 */
	private List<BsonDocument> twins(List<BsonDocument> documents, MongoBulkWriteException failure, long before) {
		List<BsonDocument> twins = new ArrayList<>();
		boolean mustWait = false;
		for (BulkWriteError error : failure.getWriteErrors()) {
			BsonDocument document = documents.get(error.getIndex());
			if (MongoErrorCodes.isOfId(error)) {
				twins.add(document);
			}
			else if (error.getCode() == MongoErrorCodes.DUPLICATE_KEY
					|| MongoErrorCodes.isAboutTheDocument(error.getCode())
					|| (!MongoErrorCodes.isOutage(error.getCode())
							&& this.suspects.isGivenUp(id(document), before, false))) {
				logRefusal(document, error.getCode());
			}
			else {
				mustWait = true;
			}
		}
		if (mustWait) {
			throw MongoErrorCodes.unsafe(failure);
		}
		return twins;
	}

	private static void logRefusal(BsonDocument deadLetter, int code) {
		logger.atError()
			.addKeyValue("id", deadLetter.get("_id"))
			.addKeyValue("code", code)
			.log("MongoDB refuses a dead letter, which is in the topic alone");
	}

	private static BsonString id(BsonDocument deadLetter) {
		return deadLetter.getString("_id");
	}

	/** The id with the time of the original record, if that is known. */
	private static BsonString idOfTwin(BsonDocument deadLetter) {
		return deadLetter.isDateTime(DeadLetterDocument.ACCEPTED_AT) ? new BsonString("%s@%d"
			.formatted(id(deadLetter).getValue(), deadLetter.getDateTime(DeadLetterDocument.ACCEPTED_AT).getValue()))
				: id(deadLetter);
	}

}
