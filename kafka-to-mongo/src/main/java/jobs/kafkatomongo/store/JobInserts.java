package jobs.kafkatomongo.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetter.Reason;
import jobs.kafkatomongo.document.Job;
import jobs.kafkatomongo.document.RecordPosition;
import jobs.kafkatomongo.limits.KafkaToMongoProperties;
import jobs.kafkatomongo.limits.Limits;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import jobs.kafkatomongo.mongo.Suspects;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/** Inserts batches of jobs into MongoDB, each job once. */
@Component
class JobInserts {

	private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

	private final MongoCollection<BsonDocument> collection;

	private final StoreMetrics metrics;

	private final Suspects suspects;

	JobInserts(MongoCollection<BsonDocument> collection, StoreMetrics metrics, KafkaToMongoProperties properties) {
		this.collection = collection
			.withWriteConcern(
					WriteConcern.MAJORITY.withWTimeout(Limits.MAJORITY_WAIT.toMillis(), TimeUnit.MILLISECONDS))
			// another member may lack the documents that jobs are compared with
			.withReadPreference(ReadPreference.primary());
		this.metrics = metrics;
		this.suspects = new Suspects(properties, metrics::taken);
	}

	/**
	 * Tries to store jobs with one unordered insert. Throws {@link MongoException} when
	 * MongoDB does not answer, or takes nothing now.
	 */
	Attempt attempt(List<Job> jobs) {
		long before = this.metrics.taken();
		try {
			if (!jobs.isEmpty()) {
				insert(jobs);
			}
			return new Attempt(jobs, before, null);
		}
		catch (MongoBulkWriteException ex) {
			return new Attempt(jobs, before, ex);
		}
		catch (MongoCommandException ex) {
			if (MongoErrorCodes.isOutage(ex.getErrorCode())) {
				throw ex;
			}
			return new Attempt(jobs, before, ex);
		}
	}

	/** Begins a batch, whose attempts are settled in turn. */
	Batch batch() {
		return new Batch();
	}

	private void insert(List<Job> jobs) {
		this.collection.withDocumentClass(RawBsonDocument.class)
			.insertMany(jobs.stream().map(Job::document).toList(), UNORDERED);
		this.metrics.stored(jobs);
	}

	private List<DeadLetter> refused(List<Job> jobs, MongoBulkWriteException failure, long before) {
		// what refuses all of them may be a state of MongoDB
		boolean all = jobs.size() > 1 && failure.getWriteErrors().size() == jobs.size();
		FailedInsert failed = new FailedInsert(jobs, failure, this.collection,
				(job) -> this.suspects.isGivenUp(position(job), before, all));
		this.metrics.stored(failed.inserted());
		List<DeadLetter> refused = failed.refused();
		this.metrics.duplicates(failure.getWriteErrors().size() - refused.size());
		return refused;
	}

	/**
	 * Halves a batch until each command that fails has one document: a few bad ones among
	 * thousands cost some twenty commands. Goes on past a document that has to wait, and
	 * throws its exception at the end.
	 */
	private List<DeadLetter> storeInHalves(List<Job> jobs, long before) {
		List<DeadLetter> refused = new ArrayList<>();
		MongoException wait = null;
		int half = (jobs.size() + 1) / 2;
		for (List<Job> part : List.of(jobs.subList(0, half), jobs.subList(half, jobs.size()))) {
			try {
				refused.addAll(storePart(part, before));
			}
			catch (MongoException ex) {
				if (!(ex instanceof MongoCommandException) || MongoErrorCodes.isOutage(ex.getCode())) {
					throw ex;
				}
				wait = ex;
			}
		}
		if (wait != null) {
			throw wait;
		}
		return refused;
	}

	private List<DeadLetter> storePart(List<Job> jobs, long before) {
		if (jobs.isEmpty()) {
			return List.of();
		}
		try {
			insert(jobs);
			return List.of();
		}
		catch (MongoBulkWriteException ex) {
			return refused(jobs, ex, before);
		}
		catch (MongoCommandException ex) {
			if (MongoErrorCodes.isOutage(ex.getErrorCode())) {
				throw ex;
			}
			if (jobs.size() > 1) {
				return storeInHalves(jobs, before);
			}
			Job job = jobs.getFirst();
			if (!this.suspects.isGivenUp(position(job), before, true)) {
				throw ex;
			}
			return List.of(new DeadLetter(job.record(), Reason.MONGODB, ex.getErrorMessage(), ex.getErrorCode()));
		}
	}

	private static RecordPosition position(Job job) {
		return RecordPosition.of(job.record());
	}

	/**
	 * Finishes what attempts have begun. Keeps none of their jobs: all of a batch
	 * together may not fit into memory.
	 */
	final class Batch {

		private final List<RecordPosition> failed = new ArrayList<>();

		private final List<DeadLetter> refused = new ArrayList<>();

		private @Nullable MongoException wait;

		/** Finishes one insert. Goes on past a document that has to wait. */
		void settle(Attempt attempt) {
			if (attempt.failure() == null) {
				return;
			}
			attempt.jobs().stream().map(JobInserts::position).forEach(this.failed::add);
			try {
				this.refused.addAll((attempt.failure() instanceof MongoBulkWriteException failure)
						? refused(attempt.jobs(), failure, attempt.before())
						// one document may have failed the whole command
						: storeInHalves(attempt.jobs(), attempt.before()));
			}
			catch (MongoException ex) {
				this.wait = (this.wait != null) ? this.wait : ex;
			}
		}

		/**
		 * Returns the jobs whose data MongoDB can't take. A job that is stored already
		 * counts as stored. Throws {@link MongoException} when the batch as a whole is
		 * not safe; the caller stores it again later.
		 */
		List<DeadLetter> end() {
			JobInserts.this.suspects.retain(this.failed);
			if (this.wait != null) {
				throw this.wait;
			}
			return this.refused;
		}

	}

	/** What came of an insert; {@code before} is what MongoDB had taken until then. */
	record Attempt(List<Job> jobs, long before, @Nullable MongoException failure) {

	}

}
