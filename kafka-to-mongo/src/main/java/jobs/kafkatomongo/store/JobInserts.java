package jobs.kafkatomongo.store;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.document.Job;
import jobs.kafkatomongo.limits.KafkaToMongoProperties;
import jobs.kafkatomongo.limits.Limits;
import jobs.kafkatomongo.mongo.Suspects;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;

import org.springframework.stereotype.Component;

/** Inserts jobs into MongoDB, each job once, and counts what MongoDB answers. */
@Component
class JobInserts {

	private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

	private final MongoCollection<BsonDocument> collection;

	private final StoreMetrics metrics;

	private final AtomicLong taken = new AtomicLong();

	private final ThreadLocal<Suspects> suspects;

	JobInserts(MongoCollection<BsonDocument> collection, StoreMetrics metrics, KafkaToMongoProperties properties) {
		this.collection = collection.withWriteConcern(
				WriteConcern.MAJORITY.withWTimeout(Limits.MAJORITY_WAIT.toMillis(), TimeUnit.MILLISECONDS));
		this.metrics = metrics;
		this.suspects = ThreadLocal.withInitial(() -> new Suspects(properties, this.taken::get));
	}

	/** Begins a batch of the consumer whose thread this is. */
	JobBatch batch() {
		return new JobBatch(this, this.suspects.get());
	}

	/** How many jobs MongoDB has taken or recognised since the start. */
	long taken() {
		return this.taken.get();
	}

	/** Inserts jobs with one unordered command. Throws {@link MongoException}. */
	void insert(List<Job> jobs) {
		if (jobs.isEmpty()) {
			return;
		}
		this.collection.withDocumentClass(RawBsonDocument.class)
			.insertMany(jobs.stream().map(Job::document).toList(), UNORDERED);
		this.taken.addAndGet(jobs.size());
		this.metrics.stored(jobs);
	}

	/**
	 * Returns which jobs of a failed insert are refused. Throws {@link MongoException}
	 * when one has to wait.
	 */
	List<DeadLetter> refused(List<Job> jobs, MongoBulkWriteException failure, Predicate<Job> isGivenUp) {
		FailedInsert failed = new FailedInsert(jobs, failure, this.collection, isGivenUp);
		this.metrics.stored(failed.inserted());
		List<DeadLetter> refused = failed.refused();
		this.metrics.duplicates(failure.getWriteErrors().size() - refused.size());
		return refused;
	}

	/**
	 * Counts jobs that MongoDB took or recognised in an insert that failed for others.
	 */
	void answeredWell(int jobs) {
		this.taken.addAndGet(jobs);
	}

}
