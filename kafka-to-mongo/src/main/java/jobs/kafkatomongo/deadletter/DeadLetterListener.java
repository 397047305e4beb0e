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
 * Keeps what is in the dead-letter topic in MongoDB, too, where people can work with it.
 * It waits out an outage as the loop of the jobs does, but apart from it.
 */
class DeadLetterListener {

	private static final Logger logger = LoggerFactory.getLogger(DeadLetterListener.class);

	private final MongoCollection<BsonDocument> collection;

	private final int maxSize;

	private final ListenerHealth health;

	/**
	 * Prepares to keep dead letters.
	 * @param collection where
	 * @param maxSize the most bytes of a value that are kept; a larger one can be no job
	 * @param health is told when records are safe
	 */
	DeadLetterListener(MongoCollection<BsonDocument> collection, int maxSize, ListenerHealth health) {
		this.collection = collection.withWriteConcern(
				WriteConcern.MAJORITY.withWTimeout(Limits.MAJORITY.time().toMillis(), TimeUnit.MILLISECONDS));
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
	 * Goes on without documents that a validator of somebody's refuses: they are in the
	 * topic, and would hold up all that come after them.
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
