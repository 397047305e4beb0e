package jobs.kafkatomongo.store;

import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.document.Job;
import jobs.kafkatomongo.limits.Limits;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;

import org.springframework.stereotype.Component;

/** Inserts batches of jobs into MongoDB, each job once. */
@Component
class JobInserts {

	private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

	private final MongoCollection<BsonDocument> collection;

	private final StoreMetrics metrics;

	JobInserts(MongoCollection<BsonDocument> collection, StoreMetrics metrics) {
		this.collection = collection
			.withWriteConcern(
					WriteConcern.MAJORITY.withWTimeout(Limits.MAJORITY_WAIT.toMillis(), TimeUnit.MILLISECONDS))
			// another member may lack the documents that jobs are compared with
			.withReadPreference(ReadPreference.primary());
		this.metrics = metrics;
	}

	/**
	 * Stores a batch with one unordered insert and returns the jobs whose data MongoDB
	 * can't take. A job that is stored already counts as stored. Throws
	 * {@link MongoException} when the batch as a whole is not safe; the caller stores it
	 * again later.
	 */
	List<DeadLetter> store(List<Job> jobs) {
		if (jobs.isEmpty()) {
			return List.of();
		}
		try {
			this.collection.withDocumentClass(RawBsonDocument.class)
				.insertMany(jobs.stream().map(Job::document).toList(), UNORDERED);
			this.metrics.stored(jobs);
			return List.of();
		}
		catch (MongoBulkWriteException ex) {
			FailedInsert failed = new FailedInsert(jobs, ex, this.collection);
			List<DeadLetter> refused = failed.refused();
			this.metrics.stored(failed.inserted());
			this.metrics.duplicates(ex.getWriteErrors().size() - refused.size());
			return refused;
		}
	}

}
