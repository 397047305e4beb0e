package jobs.benchmarks;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jobs.benchmarks.Results.Work;
import jobs.localstack.Child;

/**
 * From the start of a process until it says that it is ready, while Kafka and the
 * database run.
 *
 * @param session of this run
 * @param stage where they start
 * @param contestants who start
 */
record StartRows(Session session, Stage stage, Contestants contestants) {

	private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(90);

	private static final String SHIPPED = "as shipped";

	private static final String PLAIN = "plain jar";

	private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	void measure() throws Exception {
		Work rest = this.session.work("Start to ready, " + Contestants.REST, "s", PLAIN);
		this.session.rounds(rest, this.session.plan().rounds(),
				List.of(() -> rest(rest, true), () -> rest(rest, false)));
		Work store = this.session.work("Start to ready, " + Contestants.STORE, "s", PLAIN);
		try (BlackHole hole = new BlackHole(this.stage.database())) {
			this.session.rounds(store, this.session.plan().rounds(),
					List.of(() -> store(store, true, hole), () -> store(store, false, hole)));
		}
	}

	private String rest(Work work, boolean shipped) throws IOException {
		return start(work, shipped, this.contestants.rest(shipped), this.contestants.restPort());
	}

	private String store(Work work, boolean shipped, BlackHole hole) throws IOException {
		return start(work, shipped, this.contestants.store(shipped, hole).process(), this.contestants.storePort());
	}

	private String start(Work work, boolean shipped, Child process, int port) throws IOException {
		String who = shipped ? SHIPPED : PLAIN;
		long start = System.nanoTime();
		this.stage.launch(process);
		while (!this.stage.isReady(port)) {
			if (!process.isAlive() || System.nanoTime() - start > LIMIT_NANOS) {
				throw new IllegalStateException("%s does not get ready: see %s".formatted(who, process.log()));
			}
			LockSupport.parkNanos(NAP_NANOS);
		}
		double seconds = (System.nanoTime() - start) / 1e9;
		work.add(who, seconds, Double.NaN, Usage.peakMebibytes(process));
		this.stage.end(process);
		return "%s %.2f s".formatted(who, seconds);
	}

}
