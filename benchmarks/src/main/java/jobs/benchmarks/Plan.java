package jobs.benchmarks;

import java.time.Duration;

/**
 * How long and how often is measured.
 *
 * @param rounds how often each figure is measured, all in turn
 * @param load how long a load over HTTP lasts
 * @param warmUp CPU time that a JVM has before it is measured: it needs about 100 s until
 * its compiler is done
 * @param warmUpLimit the longest warm-up; a note tells when it has ended one
 * @param backlog jobs that are stored in nothing
 * @param upload jobs of an upload
 * @param stored jobs that are stored in the database
 * @param storedLimit the longest time for them; what is left then is not stored
 * @param growthRounds how often growth is measured
 * @param documents that are in the database when growth is measured
 * @param lag jobs that wait when growth is measured
 */
record Plan(int rounds, Duration load, Duration warmUp, Duration warmUpLimit, int backlog, int upload, int stored,
		Duration storedLimit, int growthRounds, int documents, int lag) {

	static final Plan QUICK = new Plan(1, Duration.ofSeconds(3), Duration.ofSeconds(4), Duration.ofSeconds(5), 100_000,
			60_000, 20_000, Duration.ofSeconds(2), 1, 10_000, 200_000);

	static final Plan FULL = new Plan(3, Duration.ofSeconds(8), Duration.ofSeconds(100), Duration.ofSeconds(60),
			500_000, 100_000, 200_000, Duration.ofSeconds(12), 2, 500_000, 1_000_000);

}
