package jobs.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jobs.localstack.Child;

/**
 * One who moves jobs from a topic of its own into a black hole of its own.
 *
 * @param who it is
 * @param process that does it
 * @param topic where its jobs come from
 * @param database the name of the one that it writes to
 * @param hole where its jobs go
 */
record Sink(String who, Child process, String topic, String database, BlackHole hole) {

	private static final Duration LIMIT = Duration.ofMinutes(3);

	/**
	 * Starts it, with one job to move.
	 * @return the seconds until it has done so
	 */
	double start(Stage stage, Feed feed) throws Exception {
		return start(stage, feed, () -> feed.fill(this.topic, 1));
	}

	/** The same with a job that somebody else makes. */
	double start(Stage stage, Feed feed, Runnable fill) throws Exception {
		fill.run();
		long start = System.nanoTime();
		stage.launch(this.process);
		if (!await(1, LIMIT)) {
			throw new IllegalStateException("%s has stored nothing after %d min: see %s".formatted(this.who,
					LIMIT.toMinutes(), this.process.log()));
		}
		double seconds = (System.nanoTime() - start) / 1e9;
		feed.clear(this.topic);
		return seconds;
	}

	/**
	 * Has the black holes of some answer later by a round trip.
	 */
	static void moveAway(List<Sink> sinks, Duration roundTrip) {
		sinks.forEach((sink) -> sink.hole().moveAway(roundTrip));
	}

	void end(Stage stage) {
		stage.end(this.process);
		this.hole.close();
	}

	/**
	 * Piles up a backlog while writes are held, then lets it run off.
	 * @param feed makes the backlog
	 * @param jobs its size
	 * @param store whether the database stores them
	 * @param limit the longest time that counts; then the database is left alone, and the
	 * rest runs off
	 * @return what was done within the limit
	 */
	Drain drain(Feed feed, int jobs, boolean store, Duration limit) throws Exception {
		return drain(feed, jobs, () -> feed.fill(this.topic, jobs), store, limit);
	}

	/** The same with a backlog that somebody else makes. */
	Drain drain(Feed feed, int jobs, Runnable fill, boolean store, Duration limit) throws Exception {
		this.hole.store(store);
		this.hole.hold();
		long before = this.hole.count();
		try {
			fill.run();
		}
		finally {
			this.hole.release();
		}
		long start = System.nanoTime();
		Usage usage = Usage.of(List.of(this.process));
		await(before + jobs, limit);
		double seconds = (System.nanoTime() - start) / 1e9;
		long done = this.hole.count() - before;
		double cpu = Usage.of(List.of(this.process)).microsSince(usage);
		this.hole.store(false);
		if (!await(before + jobs, LIMIT)) {
			throw new IllegalStateException("%s has moved %d of %d jobs after %d min: see %s".formatted(this.who,
					this.hole.count() - before, jobs, LIMIT.toMinutes(), this.process.log()));
		}
		feed.clear(this.topic);
		return new Drain(done / seconds, cpu / done, this.hole.count() - before - jobs);
	}

	/**
	 * Waits for a number of jobs since the start.
	 * @return whether they came in time
	 */
	boolean await(long count, Duration limit) {
		long start = System.nanoTime();
		while (this.hole.count() < count && System.nanoTime() - start < limit.toNanos()) {
			if (!this.process.isAlive()) {
				throw new IllegalStateException("%s has ended: see %s".formatted(this.who, this.process.log()));
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
		}
		return this.hole.count() >= count;
	}

	/**
	 * What came of a backlog.
	 *
	 * @param perSecond jobs
	 * @param cpuMicros of CPU per job
	 * @param repeated jobs that were written again, and count among those per second
	 */
	record Drain(double perSecond, double cpuMicros, long repeated) {

	}

}
