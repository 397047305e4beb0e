package jobs.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jobs.benchmarks.Results.Work;
import jobs.benchmarks.Session.Step;
import jobs.localstack.Child;

/**
 * From the start of a process until it says that it is ready, while Kafka and the
 * database run.
 *
 * @param session of this run
 * @param stage where they start
 * @param versions who start, the first of them also as a plain jar
 */
record StartRows(Session session, Stage stage, List<Contestants> versions) {

	private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(90);

	private static final String SHIPPED = "as shipped";

	private static final String PLAIN = "plain jar";

	private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	void measure() throws Exception {
		Work rest = this.session.work("Start to ready, " + Contestants.REST, "s", PLAIN);
		this.session.rounds(rest, this.session.plan().rounds(),
				steps((version, shipped) -> start(rest, version, shipped, version.rest(shipped), version.restPort())));
		Work store = this.session.work("Start to ready, " + Contestants.STORE, "s", PLAIN);
		try (BlackHole hole = new BlackHole(this.stage.database())) {
			this.session.rounds(store, this.session.plan().rounds(), steps((version, shipped) -> start(store, version,
					shipped, version.store(shipped, hole).process(), version.storePort())));
		}
	}

	private List<Step> steps(Start start) {
		List<Step> steps = new ArrayList<>();
		for (Contestants version : this.versions) {
			steps.add(() -> start.of(version, true));
		}
		steps.add(() -> start.of(this.versions.getFirst(), false));
		return steps;
	}

	private String start(Work work, Contestants version, boolean shipped, Child process, int port) throws IOException {
		String who = shipped ? version.named(SHIPPED) : PLAIN;
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

	/** One start of a version, as shipped or as a plain jar. */
	private interface Start {

		String of(Contestants version, boolean shipped) throws IOException;

	}

}
