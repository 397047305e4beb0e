package jobs.kafkatomongo.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

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

	private final AtomicLong taken = new AtomicLong();

	private final ThreadLocal<Suspects> suspects;

	JobInserts(MongoCollection<BsonDocument> collection, StoreMetrics metrics, KafkaToMongoProperties properties) {
		this.collection = collection
			.withWriteConcern(
					WriteConcern.MAJORITY.withWTimeout(Limits.MAJORITY_WAIT.toMillis(), TimeUnit.MILLISECONDS))
			// another member may lack the documents that jobs are compared with
			.withReadPreference(ReadPreference.primary());
		this.metrics = metrics;
		this.suspects = ThreadLocal.withInitial(() -> new Suspects(properties, this.taken::get));
	}

	/** Begins a batch of the consumer whose thread this is. */
	Batch batch() {
		return new Batch();
	}

	private void insert(List<Job> jobs) {
		if (jobs.isEmpty()) {
			return;
		}
		this.collection.withDocumentClass(RawBsonDocument.class)
			.insertMany(jobs.stream().map(Job::document).toList(), UNORDERED);
		this.taken.addAndGet(jobs.size());
		this.metrics.stored(jobs);
	}

	private static RecordPosition position(Job job) {
		return RecordPosition.of(job.record());
	}

	/**
	 * What became of the jobs of a batch. Several threads may store some of them each. It
	 * keeps none of them: all of a batch together may not fit into memory.
	 */
	final class Batch {

		private final Suspects suspects = JobInserts.this.suspects.get();

		private final Set<RecordPosition> failed = ConcurrentHashMap.newKeySet();

		private final Queue<DeadLetter> refused = new ConcurrentLinkedQueue<>();

		private final AtomicReference<@Nullable MongoException> wait = new AtomicReference<>();

		void refuse(DeadLetter deadLetter) {
			this.refused.add(deadLetter);
		}

		/**
		 * Stores jobs with one unordered insert, and goes on past a document that has to
		 * wait. Throws {@link MongoException} when MongoDB does not answer, or takes
		 * nothing now.
		 */
		void store(List<Job> jobs) {
			long before = JobInserts.this.taken.get();
			try {
				insert(jobs);
			}
			catch (MongoBulkWriteException | MongoCommandException ex) {
				if (MongoErrorCodes.isOutage(ex)) {
					throw ex;
				}
				jobs.stream().map(JobInserts::position).forEach(this.failed::add);
				try {
					this.refused.addAll(settle(jobs, ex, before));
				}
				catch (MongoException wait) {
					this.wait.compareAndSet(null, wait);
				}
			}
		}

		private List<DeadLetter> settle(List<Job> jobs, MongoException failure, long before) {
			if (failure instanceof MongoBulkWriteException bulk) {
				return refused(jobs, bulk, before);
			}
			if (jobs.size() > 1) {
				// one document may have failed the whole command
				return storeInHalves(jobs, before);
			}
			Job job = jobs.getFirst();
			if (!this.suspects.isGivenUp(position(job), before, true)) {
				throw failure;
			}
			return List.of(new DeadLetter(job.record(), Reason.MONGODB,
					((MongoCommandException) failure).getErrorMessage(), failure.getCode()));
		}

		private List<DeadLetter> refused(List<Job> jobs, MongoBulkWriteException failure, long before) {
			int answeredWell = FailedInsert.answeredWell(jobs, failure);
			JobInserts.this.taken.addAndGet(answeredWell);
			// what refuses all of them may be a state of MongoDB
			boolean all = jobs.size() > 1 && answeredWell == 0;
			FailedInsert failed = new FailedInsert(jobs, failure, JobInserts.this.collection,
					(job) -> this.suspects.isGivenUp(position(job), before, all));
			JobInserts.this.metrics.stored(failed.inserted());
			List<DeadLetter> refused = failed.refused();
			JobInserts.this.metrics.duplicates(failure.getWriteErrors().size() - refused.size());
			return refused;
		}

		/** Halves jobs until each command that fails has one document. */
		private List<DeadLetter> storeInHalves(List<Job> jobs, long before) {
			List<DeadLetter> refused = new ArrayList<>();
			int half = (jobs.size() + 1) / 2;
			for (List<Job> part : List.of(jobs.subList(0, half), jobs.subList(half, jobs.size()))) {
				try {
					refused.addAll(storePart(part, before));
				}
				catch (MongoException ex) {
					if (MongoErrorCodes.isOutage(ex)) {
						throw ex;
					}
					this.wait.compareAndSet(null, ex);
				}
			}
			return refused;
		}

		private List<DeadLetter> storePart(List<Job> jobs, long before) {
			try {
				insert(jobs);
				return List.of();
			}
			catch (MongoBulkWriteException | MongoCommandException ex) {
				if (MongoErrorCodes.isOutage(ex)) {
					throw ex;
				}
				return settle(jobs, ex, before);
			}
		}

		/**
		 * Returns the records that can't be stored. A job that is stored already counts
		 * as stored. Throws {@link MongoException} when the batch as a whole is not safe;
		 * the caller stores it again later.
		 */
		List<DeadLetter> end() {
			this.suspects.retain(this.failed);
			MongoException wait = this.wait.get();
			if (wait != null) {
				throw wait;
			}
			return List.copyOf(this.refused);
		}

	}

}
