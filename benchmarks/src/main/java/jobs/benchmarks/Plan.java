package jobs.benchmarks;

import java.time.Duration;
import java.util.List;

/**
 * How long and how often is measured.
 *
 * @param rounds how often each figure is measured, all in turn
 * @param load how long a load over HTTP lasts
 * @param warmUp CPU time that a JVM has before it is measured: it needs about 100 s until
 * its compiler is done
 * @param warmUpLimit the longest warm-up of some processes at once; a note tells when it
 * has ended one
 * @param backlog jobs that are stored in nothing
 * @param upload jobs of an upload
 * @param stored jobs that are stored in the database
 * @param storedLimit the longest time for them; what is left then is not stored
 * @param distances round trips to a black hole that is further away, for a quarter of the
 * backlog
 * @param few jobs per second where they come now and then
 * @param fewFor how long such a load lasts
 * @param scales partitions and instances that are measured
 * @param tokens different ones that come one after the other; a service keeps 10,000
 * @param growthRounds how often growth is measured
 * @param documents that are in the database when growth is measured
 * @param lag jobs that wait when growth is measured
 */
record Plan(int rounds, Duration load, Duration warmUp, Duration warmUpLimit, int backlog, int upload, int stored,
		Duration storedLimit, List<Duration> distances, List<Integer> few, Duration fewFor, List<Scale> scales,
		int tokens, int growthRounds, int documents, int lag) {

	static final Plan QUICK = new Plan(1, Duration.ofSeconds(3), Duration.ofSeconds(4), Duration.ofSeconds(5), 100_000,
			60_000, 20_000, Duration.ofSeconds(2), List.of(Duration.ofMillis(20)), List.of(10), Duration.ofSeconds(3),
			List.of(new Scale(1, 1)), 12_000, 1, 10_000, 200_000);

	static final Plan FULL = new Plan(5, Duration.ofSeconds(8), Duration.ofSeconds(100), Duration.ofSeconds(420),
			500_000, 100_000, 200_000, Duration.ofSeconds(12), List.of(Duration.ofMillis(2), Duration.ofMillis(20)),
			List.of(1, 10, 100), Duration.ofSeconds(8),
			List.of(new Scale(1, 1), new Scale(2, 1), new Scale(2, 2), new Scale(4, 4)), 60_000, 2, 500_000, 1_000_000);

	/**
	 * How many there are.
	 *
	 * @param partitions of the topic
	 * @param instances of kafka-to-mongo
	 */
	record Scale(int partitions, int instances) {

	}

}
