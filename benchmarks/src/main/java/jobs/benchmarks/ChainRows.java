package jobs.benchmarks;

import java.time.Duration;
import java.util.List;

import jobs.benchmarks.Results.Work;
import jobs.benchmarks.Session.Step;
import jobs.benchmarks.Session.WarmUp;

/**
 * The whole way: from the post of a job until it is stored.
 *
 * @param session of this run
 * @param feed clears the topics
 */
record ChainRows(Session session, Feed feed) {

	static final String FLOOR = "servlet and loop";

	/** Jobs per second that meet no other. */
	private static final int ALONE = 10;

	/** As many as all chains together can do at once. */
	private static final double WARM_UP_RATE = 1_000;

	private static final Duration WARM_UP = Duration.ofSeconds(4);

	private static final String HOLE = "black hole";

	/**
	 * Measures all rows.
	 * @param stored jobs per second that kafka-to-mongo stores in the database, 0 where
	 * there is none
	 * @param chains who are measured, the services first
	 */
	void measure(double stored, List<Chain> chains) throws Exception {
		Plan plan = this.session.plan();
		// a backlog has warmed up large batches alone, and small ones are other code to
		// the compiler
		this.session.warmUp(chains.stream()
			.map((chain) -> new WarmUp(chain.sink().who() + " with small batches", chain.sink().process(),
					() -> warmUp(chain)))
			.toList());
		double half = measureCapacity(chains) / 2;
		measure(HOLE, half, plan.load(), false, chains);
		for (int few : plan.few()) {
			measure(HOLE, few, plan.fewFor(), false, chains);
		}
		List<Sink> sinks = chains.stream().map(Chain::sink).toList();
		for (Duration distance : plan.distances()) {
			Sink.moveAway(sinks, distance);
			measure("%s %d ms away".formatted(HOLE, distance.toMillis()), half / 4, plan.load(), false, chains);
			Sink.moveAway(sinks, Duration.ZERO);
		}
		if (stored > 0) {
			measure("mongod", ALONE, plan.fewFor(), true, chains);
			measure("mongod", Math.min(half, stored / 2), plan.load(), true, chains);
		}
	}

	private void warmUp(Chain chain) throws Exception {
		chain.run(HttpRows.CONNECTIONS, WARM_UP_RATE, WARM_UP, false);
		this.feed.clear(chain.sink().topic());
	}

	/**
	 * Measures how many jobs are taken while as many are stored: less than over HTTP
	 * alone, since both share the machine.
	 */
	private double measureCapacity(List<Chain> chains) throws Exception {
		Work work = this.session
			.work("POST, %d connections, and stored in a black hole".formatted(HttpRows.CONNECTIONS), "jobs/s", FLOOR);
		this.session.rounds(work, this.session.plan().rounds(),
				chains.stream().<Step>map((chain) -> () -> measureCapacity(work, chain)).toList());
		return work.of(chains.getFirst().who()).median();
	}

	/**
	 * Measures a round of that.
	 * @return what it saw
	 */
	String measureCapacity(Work work, Chain chain) throws Exception {
		Usage usage = Usage.of(chain.processes());
		long before = chain.sink().hole().count();
		long start = System.nanoTime();
		PostLoad.Outcome outcome = chain.load().closed(HttpRows.CONNECTIONS, this.session.plan().load());
		if (!chain.sink().await(before + outcome.answered(), Chain.PATIENCE)) {
			throw new IllegalStateException(
					"%s has not stored what it took: see %s".formatted(chain.who(), chain.sink().process().log()));
		}
		double perSecond = outcome.answered() / ((System.nanoTime() - start) / 1e9);
		double cpu = Usage.of(chain.processes()).microsSince(usage) / outcome.answered();
		outcome.noteFailures(this.session, work.name(), chain.who());
		this.feed.clear(chain.sink().topic());
		work.add(chain.who(), perSecond, cpu, chain.processes().stream().mapToDouble(Usage::peakMebibytes).sum());
		return "%s %,.0f jobs/s, %.0f us of CPU each".formatted(chain.who(), perSecond, cpu);
	}

	private void measure(String where, double rate, Duration duration, boolean stored, List<Chain> chains)
			throws Exception {
		Latencies rows = Latencies.of(this.session, "POST to %s, %,.0f jobs/s".formatted(where, rate), FLOOR);
		this.session.rounds(rows.median(), this.session.plan().rounds(),
				chains.stream().<Step>map((chain) -> () -> measure(rows, chain, rate, duration, stored)).toList());
	}

	private String measure(Latencies rows, Chain chain, double rate, Duration duration, boolean stored)
			throws Exception {
		Usage usage = Usage.of(chain.processes());
		// one that waits for its next job for long is closed by the other side
		int connections = Math.clamp(Math.round(rate / ALONE), 1, HttpRows.CONNECTIONS);
		Chain.Seen seen = chain.run(connections, rate, duration, stored);
		double cpu = Usage.of(chain.processes()).microsSince(usage) / seen.outcome().answered();
		double mebibytes = chain.processes().stream().mapToDouble(Usage::peakMebibytes).sum();
		seen.noteFailures(this.session, rows.median().name(), chain.who());
		this.feed.clear(chain.sink().topic());
		return rows.add(chain.who(), seen.latencies(), cpu, mebibytes);
	}

}
