package jobs.kafkatomongo.deadletter;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import com.mongodb.MongoBulkWriteException;
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
import jobs.kafkatomongo.outage.ListenerHealth;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.kafka.annotation.KafkaListener;

/**
 * Copies the dead-letter topic to MongoDB, where people can work with its records. It
 * waits out an outage apart from the listener of the jobs.
 */
class DeadLetterListener {

	private static final Logger logger = LoggerFactory.getLogger(DeadLetterListener.class);

	/** The field of the time when a dead letter was last seen. */
	private static final String SEEN = "lastSeen";

	private final MongoCollection<BsonDocument> collection;

	private final int maxSize;

	private final ListenerHealth health;

	private final AtomicLong kept = new AtomicLong();

	private final Suspects suspects;

	/** Keeps values of up to {@code max-job-size}; a larger value can't be a job. */
	DeadLetterListener(MongoCollection<BsonDocument> collection, KafkaToMongoProperties properties,
			ListenerHealth health) {
		this.collection = collection.withWriteConcern(
				WriteConcern.MAJORITY.withWTimeout(Limits.MAJORITY_WAIT.toMillis(), TimeUnit.MILLISECONDS));
		this.maxSize = Math.toIntExact(properties.maxJobSize().toBytes());
		this.suspects = new Suspects(properties, this.kept::get);
		this.health = health;
	}

	// few in a batch: some databases read the whole collection for each of them
	@KafkaListener(id = "dead-letters", groupId = "${spring.kafka.consumer.group-id}-dead-letters",
			topics = "${kafka-to-mongo.dead-letter-topic:jobs-topic1-dlt}", batch = "true", concurrency = "1",
			properties = { "max.poll.records=20", "fetch.min.bytes=1", "fetch.max.wait.ms=500" })
	void listen(List<ConsumerRecord<byte[], byte[]>> records) {
		keep(records);
		this.health.stored();
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
			this.collection.bulkWrite(documents.stream().map(DeadLetterListener::write).toList(),
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
	 * refuses, as a validator or a unique index may: they are in the topic, and would
	 * hold up all later ones. Throws for any other failure.
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
				logger.atError()
					.addKeyValue("id", document.get("_id"))
					.addKeyValue("code", error.getCode())
					.log("MongoDB refuses a dead letter, which is in the topic alone");
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
