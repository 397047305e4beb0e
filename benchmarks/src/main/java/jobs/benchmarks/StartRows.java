package jobs.benchmarks;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import jobs.benchmarks.Results.Work;
import jobs.localstack.Child;
import jobs.localstack.Ports;

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

	private static final String PLAIN = ", plain jar";

	private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	void measure() throws Exception {
		Work work = this.session.work("Start to ready", "s", Contestants.SERVLET);
		try (BlackHole hole = new BlackHole(this.stage.database())) {
			this.session.rounds(work, this.session.plan().rounds(),
					List.of(() -> rest(work, true), () -> rest(work, false), () -> store(work, true, hole),
							() -> store(work, false, hole),
							() -> start(work, Contestants.SERVLET, this.contestants.servlet(),
									() -> Ports.isListening(this.contestants.servletPort()))));
		}
	}

	private String rest(Work work, boolean shipped) throws IOException {
		return start(work, shipped ? Contestants.REST : Contestants.REST + PLAIN, this.contestants.rest(shipped),
				() -> this.stage.isReady(this.contestants.restPort()));
	}

	private String store(Work work, boolean shipped, BlackHole hole) throws IOException {
		return start(work, shipped ? Contestants.STORE : Contestants.STORE + PLAIN,
				this.contestants.store(shipped, hole).process(),
				() -> this.stage.isReady(this.contestants.storePort()));
	}

	private String start(Work work, String who, Child process, BooleanSupplier ready) {
		long start = System.nanoTime();
		this.stage.launch(process);
		while (!ready.getAsBoolean()) {
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
