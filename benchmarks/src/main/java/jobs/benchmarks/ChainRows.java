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

	/**
	 * Measures latencies at a rate.
	 * @param where the jobs end
	 * @param rate jobs per second
	 * @param duration how long
	 * @param stored whether that is the database
	 * @param chains who are measured
	 */
	void measure(String where, double rate, Duration duration, boolean stored, List<Chain> chains) throws Exception {
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
