package jobs.benchmarks;

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

	private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	void measure() throws Exception {
		Work work = this.session.work("Start to ready, plain jar", "s", Contestants.SERVLET);
		try (BlackHole hole = new BlackHole(this.stage.database())) {
			this.session.rounds(work, this.session.plan().rounds(),
					List.of(() -> start(work, Contestants.REST, this.contestants.rest(),
							() -> this.stage.isReady(this.contestants.restPort())),
							() -> start(work, Contestants.STORE, this.contestants.store(hole).process(),
									() -> this.stage.isReady(this.contestants.storePort())),
							() -> start(work, Contestants.SERVLET, this.contestants.servlet(),
									() -> Ports.isListening(this.contestants.servletPort()))));
		}
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
