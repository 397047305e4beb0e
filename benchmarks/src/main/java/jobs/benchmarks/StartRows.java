package jobs.benchmarks;

import java.io.IOException;
import java.time.Duration;
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
 * @param postings what is posted after a start
 */
record StartRows(Session session, Stage stage, List<Contestants> versions, Postings postings) {

	private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(90);

	static final String SHIPPED = "as shipped";

	private static final String PLAIN = "plain jar";

	private static final double FIRST_RATE = 500;

	private static final Duration FIRST = Duration.ofSeconds(2);

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
		measureFirstPosts();
	}

	/**
	 * Measures what the first clients wait.
	 */
	private void measureFirstPosts() throws Exception {
		Latencies rows = Latencies.of(this.session, "The first %,d POSTs after the start, %.0f jobs/s"
			.formatted(PostLoad.jobs(FIRST_RATE, FIRST), FIRST_RATE), Contestants.SERVLET);
		List<Step> steps = new ArrayList<>();
		for (Contestants version : this.versions) {
			steps.add(() -> {
				Child rest = this.stage.launch(version.rest());
				this.stage.awaitReady(rest, version.restPort());
				return firstPosts(rows, version.named(Contestants.REST), rest, version.restPort());
			});
		}
		Contestants first = this.versions.getFirst();
		steps.add(() -> {
			Child servlet = this.stage.launch(first.servlet());
			this.stage.awaitListening(servlet, first.servletPort());
			return firstPosts(rows, Contestants.SERVLET, servlet, first.servletPort());
		});
		this.session.rounds(rows.median(), this.session.plan().rounds(), steps);
	}

	private String firstPosts(Latencies rows, String who, Child process, int port) throws IOException {
		Usage usage = Usage.of(List.of(process));
		PostLoad.Outcome outcome = new PostLoad(port, this.postings).open(HttpRows.CONNECTIONS, FIRST_RATE, FIRST,
				new long[0]);
		double cpu = Usage.of(List.of(process)).microsSince(usage) / outcome.answered();
		outcome.noteFailures(this.session, rows.median().name(), who);
		double mebibytes = Usage.peakMebibytes(process);
		this.stage.end(process);
		return rows.add(who, outcome.latencies(), cpu, mebibytes);
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
