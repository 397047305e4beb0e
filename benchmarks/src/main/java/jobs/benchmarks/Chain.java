package jobs.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

import jobs.benchmarks.PostLoad.Outcome;
import jobs.localstack.Child;
import org.HdrHistogram.Histogram;

/**
 * One who takes jobs over HTTP, and the sink behind it.
 *
 * @param who the two are
 * @param front the process that takes the jobs
 * @param load of single jobs
 * @param sink that stores them
 */
record Chain(String who, Child front, PostLoad load, Sink sink) {

	static final Duration PATIENCE = Duration.ofSeconds(30);

	List<Child> processes() {
		return List.of(this.front, this.sink.process());
	}

	/**
	 * Posts jobs at a rate.
	 * @return the times from when a job was due to be posted until the write that stores
	 * it is answered
	 */
	Seen run(int connections, double rate, Duration duration, boolean stored) throws Exception {
		int jobs = PostLoad.jobs(rate, duration);
		long[] due = new long[jobs];
		AtomicLongArray done = new AtomicLongArray(jobs);
		BlackHole hole = this.sink.hole();
		long before = hole.count();
		hole.store(stored);
		hole.listen((number) -> {
			if (number >= 0 && number < jobs) {
				done.set(number, System.nanoTime());
			}
		});
		Outcome outcome = this.load.open(connections, rate, duration, due);
		this.sink.await(before + outcome.answered(), PATIENCE);
		hole.listen(null);
		hole.store(false);
		Histogram latencies = new Histogram(3);
		for (int i = 0; i < jobs; i++) {
			if (done.get(i) > 0) {
				latencies.recordValue((done.get(i) - due[i]) / 1000);
			}
		}
		long unseen = jobs - latencies.getTotalCount();
		if (unseen > 0) {
			// none of them is better than the slowest
			latencies.recordValueWithCount(PATIENCE.toNanos() / 1000, unseen);
		}
		return new Seen(outcome, latencies, unseen);
	}

	/**
	 * What was seen.
	 *
	 * @param outcome of the posting
	 * @param latencies until a job was stored, in microseconds
	 * @param unseen jobs that were not stored in time, among the latencies with the
	 * longest
	 */
	record Seen(Outcome outcome, Histogram latencies, long unseen) {

		void noteFailures(Session session, String work, String who) {
			this.outcome.noteFailures(session, work, who);
			if (this.unseen > 0) {
				session.note("%s, %s: %,d jobs were not stored in time.".formatted(work, who, this.unseen));
			}
		}

	}

}
