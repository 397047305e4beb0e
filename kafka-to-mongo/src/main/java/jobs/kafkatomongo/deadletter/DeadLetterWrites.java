package jobs.kafkatomongo.deadletter;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.WriteModel;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.deadletter.DeadLetter.State;
import jobs.kafkatomongo.document.ErasedDocuments;
import jobs.kafkatomongo.mongo.BulkWriter;
import jobs.kafkatomongo.mongo.BulkWriter.Answer;
import jobs.kafkatomongo.mongo.BulkWriter.Refusal;
import jobs.kafkatomongo.mongo.MongoConfiguration;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import jobs.kafkatomongo.mongo.PoisonCandidates;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the dead letters of the topic in MongoDB. It goes on past those that MongoDB
 * refuses: they are in the topic, and would hold up all later ones.
 */
class DeadLetterWrites {

	private static final Logger logger = LoggerFactory.getLogger(DeadLetterWrites.class);

	/** The field of the time when a dead letter was last seen. */
	static final String SEEN = "lastSeen";

	/** The field of the time of the original record, which tells twins apart. */
	private static final String ACCEPTED_AT = DeadLetterFact.TIMESTAMP.field;

	private final MongoCollection<BsonDocument> collection;

	private final ErasedDocuments erased;

	private final DeadLetterCollection deadLetters;

	private final int maxSize;

	private final BulkWriter.Shared shared = new BulkWriter.Shared();

	private final PoisonCandidates candidates;

	/**
	 * Keeps values of up to {@code maxSize} bytes, and larger ones that rest-to-kafka
	 * accepted; another can't be a document.
	 */
	DeadLetterWrites(MongoCollection<BsonDocument> collection, int maxSize, KafkaToMongoProperties properties,
			ErasedDocuments erased) {
		this.erased = erased;
		this.deadLetters = new DeadLetterCollection(collection);
		this.collection = collection.withWriteConcern(
				WriteConcern.MAJORITY.withWTimeout(MongoConfiguration.MAJORITY_WAIT.toMillis(), TimeUnit.MILLISECONDS));
		this.maxSize = maxSize;
		this.candidates = new PoisonCandidates(properties, this.shared.creations());
	}

	/**
	 * Keeps each record as a document under its original position. Of a document that
	 * exists, only the times when it was seen change. Where the document is of another
	 * record, as a topic that was created anew has at the same position, the time of the
	 * record is part of the id. What a dead letter of an erased document had is erased
	 * again. Throws {@link MongoException} when not all records are safe; the caller then
	 * keeps them again.
	 */
	void keep(List<ConsumerRecord<byte[], byte[]>> records) {
		List<BsonDocument> documents = new ArrayList<>();
		for (ConsumerRecord<byte[], byte[]> record : records) {
			documents.add(DeadLetterCodec.toDocument(record, this.maxSize)
				.append(SEEN, new BsonDateTime(record.timestamp())));
		}
		Batch batch = new Batch();
		List<BsonDocument> twins = batch.keep(documents);
		// another instance may have kept the same record at this moment
		twins = batch.keep(twins);
		twins.forEach((twin) -> twin.put("_id", idOfTwin(twin)));
		batch.keep(twins);
		batch.end();
		// after they are kept: who erases a document writes its mark first, then looks
		// for its dead letters
		this.erased.among(documents.stream().map((document) -> document.getString("job").getValue()).toList())
			.forEach((id) -> this.deadLetters.erase(id, erasedAgain()));
	}

	/**
	 * What is left of a history where a dead letter came after its document was erased.
	 */
	private static BsonDocument erasedAgain() {
		return new BsonDocument("at", new BsonDateTime(System.currentTimeMillis()))
			.append("action", new BsonString(State.ERASED.text()))
			.append("by", new BsonString("kafka-to-mongo"));
	}

	private int upsert(List<BsonDocument> documents) {
		return this.collection
			.bulkWrite(documents.stream().map(DeadLetterWrites::write).toList(), new BulkWriteOptions().ordered(false))
			.getUpserts()
			.size();
	}

	/**
	 * Whether MongoDB looks at what is updated: it has to find a dead letter, of which
	 * nothing changes.
	 */
	private boolean recognises() {
		try {
			BsonDocument kept = this.collection.find(Filters.exists(SEEN))
				.projection(Projections.include(SEEN))
				.first();
			return kept != null && this.collection
				.updateOne(Filters.eq("_id", kept.get("_id")), Updates.max(SEEN, new BsonDateTime(0)))
				.getMatchedCount() == 1;
		}
		catch (MongoException ex) {
			return false;
		}
	}

	private static WriteModel<BsonDocument> write(BsonDocument document) {
		BsonDocument fields = document.clone();
		BsonValue seen = fields.remove(SEEN);
		Bson same = Filters.eq("_id", fields.remove("_id"));
		BsonValue acceptedAt = fields.remove(ACCEPTED_AT);
		return new UpdateOneModel<>(
				(acceptedAt != null) ? Filters.and(same, Filters.eq(ACCEPTED_AT, acceptedAt)) : same,
				Updates.combine(new BsonDocument("$setOnInsert", fields),
						Updates.min(DeadLetterCollection.FIRST_SEEN, seen), Updates.max(SEEN, seen)),
				new UpdateOptions().upsert(true));
	}

	private static void logRefusal(Refusal<BsonDocument> refusal) {
		logger.atError()
			.addKeyValue("id", refusal.document().get("_id"))
			.addKeyValue("code", refusal.code())
			.log("MongoDB refuses a dead letter, which is in the topic alone");
	}

	private static BsonString id(BsonDocument deadLetter) {
		return deadLetter.getString("_id");
	}

	/** The id with the time of the original record, if that is known. */
	private static BsonString idOfTwin(BsonDocument deadLetter) {
		return deadLetter.isDateTime(ACCEPTED_AT)
				? new BsonString(
						"%s@%d".formatted(id(deadLetter).getValue(), deadLetter.getDateTime(ACCEPTED_AT).getValue()))
				: id(deadLetter);
	}

	/** One try of a batch. */
	private final class Batch {

		private final BulkWriter<BsonDocument> writer = BulkWriter.upserting(DeadLetterWrites.this::upsert,
				DeadLetterWrites.this.shared);

		/** Documents that MongoDB refuses with a code of which nobody knows. */
		private final List<Refusal<BsonDocument>> unknown = new ArrayList<>();

		private @Nullable MongoException failure;

		/**
		 * Returns those whose id another document has. It goes on without those that
		 * MongoDB refuses, as a validator or a unique index may.
		 */
		List<BsonDocument> keep(List<BsonDocument> documents) {
			Answer<BsonDocument> answer = this.writer.write(documents);
			if (answer.isOutage()) {
				throw Objects.requireNonNull(answer.failure());
			}
			this.failure = (this.failure != null) ? this.failure : answer.failure();
			List<BsonDocument> twins = new ArrayList<>();
			for (Refusal<BsonDocument> refusal : answer.refusals()) {
				if (refusal.isDuplicateId()) {
					twins.add(refusal.document());
				}
				else if (refusal.isDuplicate() || refusal.isFinal()) {
					logRefusal(refusal);
				}
				else {
					this.unknown.add(refusal);
				}
			}
			return twins;
		}

		/** Throws {@link MongoException} when a document waits. */
		void end() {
			List<Refusal<BsonDocument>> waiting = new ArrayList<>(this.unknown);
			List<Refusal<BsonDocument>> givenUp = DeadLetterWrites.this.candidates.givenUp(waiting,
					DeadLetterWrites::id, DeadLetterWrites.this::recognises);
			givenUp.forEach(DeadLetterWrites::logRefusal);
			waiting.removeAll(givenUp);
			if (this.failure != null) {
				// not all were tried: they stay candidates
				throw this.failure;
			}
			DeadLetterWrites.this.candidates
				.retain(this.unknown.stream().map((refusal) -> id(refusal.document())).toList());
			if (!waiting.isEmpty()) {
				throw MongoErrorCodes.refused(waiting.getFirst().code(), waiting.size(), waiting.getFirst().message());
			}
		}

	}

}
