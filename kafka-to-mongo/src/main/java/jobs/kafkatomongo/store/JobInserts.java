package jobs.kafkatomongo.store;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import com.mongodb.MongoException;
import com.mongodb.MongoWriteException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.document.Job;
import jobs.kafkatomongo.mongo.BulkWriter;
import jobs.kafkatomongo.mongo.MongoConfiguration;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import jobs.kafkatomongo.mongo.PoisonCandidates;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;

import org.springframework.stereotype.Component;

/** Inserts jobs into {@code db.jobs}, each job once. */
@Component
class JobInserts {

	private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

	private final MongoCollection<BsonDocument> collection;

	private final StoreMetrics metrics;

	/** How many jobs were new to MongoDB since the start. */
	private final AtomicLong created = new AtomicLong();

	private final ThreadLocal<PoisonCandidates> candidates;

	JobInserts(MongoCollection<BsonDocument> collection, StoreMetrics metrics, KafkaToMongoProperties properties) {
		this.collection = collection.withWriteConcern(
				WriteConcern.MAJORITY.withWTimeout(MongoConfiguration.MAJORITY_WAIT.toMillis(), TimeUnit.MILLISECONDS));
		this.metrics = metrics;
		this.candidates = ThreadLocal.withInitial(() -> new PoisonCandidates(properties, this.created));
	}

	/** Begins one try of a batch, for the consumer whose thread this is. */
	JobBatch batch() {
		return new JobBatch(BulkWriter.inserting(this::insert, this.created), new Duplicates(this.collection),
				this.metrics, this.candidates.get(), this::recognises);
	}

	private int insert(List<Job> jobs) {
		this.collection.withDocumentClass(RawBsonDocument.class)
			.insertMany(jobs.stream().map(Job::document).toList(), UNORDERED);
		return jobs.size();
	}

	/**
	 * Whether MongoDB looks at what is inserted: it has to recognise a whole stored
	 * document as a duplicate. Nothing new is written.
	 */
	private boolean recognises() {
		try {
			BsonDocument stored = this.collection.find().first();
			if (stored == null) {
				return false;
			}
			this.collection.insertOne(stored);
			// it was deleted just now, by hand
			return true;
		}
		catch (MongoWriteException ex) {
			return ex.getCode() == MongoErrorCodes.DUPLICATE_KEY;
		}
		catch (MongoException ex) {
			return false;
		}
	}

}
