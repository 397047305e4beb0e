package jobs.kafkatomongo.deadletter;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.WriteModel;
import jobs.kafkatomongo.limits.Limits;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import jobs.kafkatomongo.outage.ListenerHealth;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.kafka.annotation.KafkaListener;

/**
 * Copies the dead-letter topic to MongoDB, where people can work with its records. It
 * waits out an outage apart from the listener of the jobs.
 */
class DeadLetterListener {

	private static final Logger logger = LoggerFactory.getLogger(DeadLetterListener.class);

	private final MongoCollection<BsonDocument> collection;

	private final int maxSize;

	private final ListenerHealth health;

	/** Keeps values of up to {@code maxSize} bytes; a larger value can't be a job. */
	DeadLetterListener(MongoCollection<BsonDocument> collection, int maxSize, ListenerHealth health) {
		this.collection = collection.withWriteConcern(
				WriteConcern.MAJORITY.withWTimeout(Limits.MAJORITY_WAIT.toMillis(), TimeUnit.MILLISECONDS));
		this.maxSize = maxSize;
		this.health = health;
	}

	@KafkaListener(id = "dead-letters", groupId = "${spring.kafka.consumer.group-id}-dead-letters",
			topics = "${kafka-to-mongo.dead-letter-topic:jobs-topic1-dlt}", batch = "true", concurrency = "1",
			properties = { "max.poll.records=100", "fetch.min.bytes=1", "fetch.max.wait.ms=500" })
	void listen(List<ConsumerRecord<byte[], byte[]>> records) {
		keep(records);
		this.health.stored();
	}

	/**
	 * Keeps each record as a document under its original position. Of a document that
	 * exists, only the times when it was seen change. Throws {@link MongoException} when
	 * not all records are safe; the caller then keeps them again.
	 */
	void keep(List<ConsumerRecord<byte[], byte[]>> records) {
		List<WriteModel<BsonDocument>> writes = new ArrayList<>();
		for (ConsumerRecord<byte[], byte[]> record : records) {
			BsonDocument document = DeadLetterDocument.of(record, this.maxSize);
			BsonValue id = document.remove("_id");
			BsonDateTime seen = new BsonDateTime(record.timestamp());
			writes.add(new UpdateOneModel<>(Filters.eq("_id", id),
					Updates.combine(new BsonDocument("$setOnInsert", document),
							Updates.min(DeadLetterCollection.FIRST_SEEN, seen), Updates.max("lastSeen", seen)),
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
	 * Goes on without documents that a validator of the collection refuses, since they
	 * are in the topic and would hold up all later ones. Throws for any other failure.
	 */
	private static void requireOthers(MongoBulkWriteException failure) {
		boolean refused = failure.getWriteConcernError() == null && failure.getWriteErrors()
			.stream()
			.allMatch((error) -> MongoErrorCodes.isAboutTheDocument(error.getCode()));
		if (!refused) {
			throw MongoErrorCodes.unsafe(failure);
		}
		logger.atError()
			.addKeyValue("count", failure.getWriteErrors().size())
			.addKeyValue("cause", failure.getWriteErrors().getFirst().getMessage())
			.log("MongoDB refuses dead letters, which are in the topic alone");
	}

}
