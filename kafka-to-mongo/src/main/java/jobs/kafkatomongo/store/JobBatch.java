package jobs.kafkatomongo.store;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetter.Reason;
import jobs.kafkatomongo.document.Job;
import jobs.kafkatomongo.document.RecordPosition;
import jobs.kafkatomongo.limits.Limits;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import jobs.kafkatomongo.mongo.Suspects;
import org.jspecify.annotations.Nullable;

/**
 * What became of the jobs of a batch. Several threads may store some of them each. It
 * keeps none of them: all of a batch together may not fit into memory.
 */
final class JobBatch {

	private final JobInserts inserts;

	private final Suspects suspects;

	/** How many jobs MongoDB had taken when this batch began. */
	private final long start;

	private final Set<RecordPosition> failed = ConcurrentHashMap.newKeySet();

	private final Queue<DeadLetter> refused = new ConcurrentLinkedQueue<>();

	/** Jobs that failed a command which had no other. */
	private final AtomicInteger refusedAlone = new AtomicInteger();

	private final AtomicReference<@Nullable MongoException> wait = new AtomicReference<>();

	JobBatch(JobInserts inserts, Suspects suspects) {
		this.inserts = inserts;
		this.suspects = suspects;
		this.start = inserts.taken();
	}

	/** Notes a record of the batch that can't be stored. */
	void refuse(DeadLetter deadLetter) {
		this.refused.add(deadLetter);
	}

	/**
	 * Stores jobs with one unordered insert, and goes on past a document that has to
	 * wait. Throws {@link MongoException} when MongoDB does not answer, or takes nothing
	 * now.
	 */
	void store(List<Job> jobs) {
		long before = this.inserts.taken();
		try {
			this.inserts.insert(jobs);
		}
		catch (MongoBulkWriteException | MongoCommandException ex) {
			if (MongoErrorCodes.isOutage(ex)) {
				throw ex;
			}
			jobs.stream().map(JobBatch::position).forEach(this.failed::add);
			try {
				settle(jobs, ex, before);
			}
			catch (MongoException wait) {
				this.wait.compareAndSet(null, wait);
			}
		}
	}

	private void settle(List<Job> jobs, MongoException failure, long before) {
		if (failure instanceof MongoBulkWriteException bulk) {
			this.refused.addAll(refused(jobs, bulk, before));
		}
		else if (jobs.size() > 1) {
			// one document may have failed the whole command
			storeInHalves(jobs, failure, before);
		}
		else {
			refuseAlone(jobs.getFirst(), (MongoCommandException) failure, before);
		}
	}

	private void refuseAlone(Job job, MongoCommandException failure, long before) {
		this.refusedAlone.incrementAndGet();
		if (!this.suspects.isGivenUp(position(job), before, true)) {
			throw failure;
		}
		refuse(new DeadLetter(job.record(), Reason.MONGODB, failure.getErrorMessage(), failure.getCode()));
	}

	private List<DeadLetter> refused(List<Job> jobs, MongoBulkWriteException failure, long before) {
		int answeredWell = FailedInsert.answeredWell(jobs, failure);
		this.inserts.answeredWell(answeredWell);
		// what refuses all of them may be a state of MongoDB
		boolean all = jobs.size() > 1 && answeredWell == 0;
		return this.inserts.refused(jobs, failure, (job) -> this.suspects.isGivenUp(position(job), before, all));
	}

	/**
	 * Halves jobs until each command that fails has one document. After many such
	 * failures in which MongoDB has taken nothing else it stops: what refuses all may be
	 * a state of MongoDB. The order is random, so that the first ones are others at each
	 * try.
	 */
	private void storeInHalves(List<Job> jobs, MongoException failure, long before) {
		int half = (jobs.size() + 1) / 2;
		List<List<Job>> halves = Arrays.asList(jobs.subList(0, half), jobs.subList(half, jobs.size()));
		if (jobs.stream().map(Job::id).distinct().count() == jobs.size()) {
			Collections.shuffle(halves, ThreadLocalRandom.current());
		}
		for (List<Job> part : halves) {
			if (this.refusedAlone.get() >= Limits.REFUSED_ALONE && this.inserts.taken() == this.start) {
				this.wait.compareAndSet(null, failure);
				return;
			}
			try {
				storePart(part, before);
			}
			catch (MongoException ex) {
				if (MongoErrorCodes.isOutage(ex)) {
					throw ex;
				}
				this.wait.compareAndSet(null, ex);
			}
		}
	}

	private void storePart(List<Job> jobs, long before) {
		try {
			this.inserts.insert(jobs);
		}
		catch (MongoBulkWriteException | MongoCommandException ex) {
			if (MongoErrorCodes.isOutage(ex)) {
				throw ex;
			}
			settle(jobs, ex, before);
		}
	}

	/**
	 * Returns the records that can't be stored. A job that is stored already counts as
	 * stored. Throws {@link MongoException} when the batch as a whole is not safe; the
	 * caller stores it again later.
	 */
	List<DeadLetter> end() {
		this.suspects.retain(this.failed);
		MongoException wait = this.wait.get();
		if (wait != null) {
			throw wait;
		}
		return List.copyOf(this.refused);
	}

	private static RecordPosition position(Job job) {
		return RecordPosition.of(job.record());
	}

}
