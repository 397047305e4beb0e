package jobs.benchmarks;

import java.time.Duration;
import java.util.List;

import jobs.benchmarks.Session.Step;

/**
 * The whole way: from the post of a job until it is stored.
 *
 * @param session of this run
 * @param feed clears the topics
 * @param postings what is posted
 */
record ChainRows(Session session, Feed feed, Postings postings) {

	static final String FLOOR = "servlet and loop";

	private static final String HOLE = "black hole";

	/**
	 * Measures all rows.
	 * @param half jobs per second, half of what is taken over HTTP
	 * @param stored jobs per second into the database, 0 where there is none
	 * @param chains who are measured
	 */
	void measure(double half, double stored, List<Chain> chains) throws Exception {
		Plan plan = this.session.plan();
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
			measure("mongod", stored, plan.load(), true, chains);
		}
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
		Chain.Seen seen = chain.run(this.postings, HttpRows.CONNECTIONS, rate, duration, stored);
		double cpu = Usage.of(chain.processes()).microsSince(usage) / seen.outcome().answered();
		double mebibytes = chain.processes().stream().mapToDouble(Usage::peakMebibytes).sum();
		seen.outcome().noteFailures(this.session, rows.median().name(), chain.who());
		if (seen.unseen() > 0) {
			this.session.note("%s, %s: %,d jobs were not stored in time.".formatted(rows.median().name(), chain.who(),
					seen.unseen()));
		}
		this.feed.clear(chain.sink().topic());
		return rows.add(chain.who(), seen.latencies(), cpu, mebibytes);
	}

}
