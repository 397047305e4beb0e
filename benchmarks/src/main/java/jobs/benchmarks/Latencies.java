package jobs.benchmarks;

import jobs.benchmarks.Results.Work;
import org.HdrHistogram.Histogram;

/**
 * The rows of a latency.
 *
 * @param median half of the jobs took no longer
 * @param tail one job in a hundred took longer
 */
record Latencies(Work median, Work tail) {

	static Latencies of(Session session, String name, String floor) {
		return new Latencies(session.work(name + ", p50", "ms", floor), session.work(name + ", p99", "ms", floor));
	}

	/**
	 * Adds a round.
	 * @param latencies in microseconds
	 * @return what it saw
	 */
	String add(String who, Histogram latencies, double cpuMicros, double mebibytes) {
		double half = latencies.getValueAtPercentile(50) / 1000.0;
		double most = latencies.getValueAtPercentile(99) / 1000.0;
		this.median.add(who, half, cpuMicros, mebibytes);
		this.tail.add(who, most, cpuMicros, mebibytes);
		return "%s %.2f ms, p99 %.2f ms, longest %.2f ms".formatted(who, half, most, latencies.getMaxValue() / 1000.0);
	}

}
