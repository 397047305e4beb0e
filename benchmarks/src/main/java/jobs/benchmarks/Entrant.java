package jobs.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import jobs.benchmarks.PostLoad.Outcome;
import jobs.benchmarks.Results.Work;
import jobs.localstack.Child;

/**
 * Who takes single jobs.
 *
 * @param who it is
 * @param process that does it
 * @param load of single jobs
 */
record Entrant(String who, Child process, PostLoad load) {

	/**
	 * Measures a round in which each connection posts as soon as it may.
	 * @return what it saw
	 */
	String throughput(Session session, Work work, int connections) throws IOException {
		Usage usage = usage();
		Outcome outcome = this.load.closed(connections, session.plan().load());
		double cpu = usage().microsSince(usage) / outcome.answered();
		work.add(this.who, outcome.perSecond(), cpu, Usage.peakMebibytes(this.process));
		outcome.noteFailures(session, work.name(), this.who);
		return "%s %,.0f jobs/s, %.1f us of CPU each".formatted(this.who, outcome.perSecond(), cpu);
	}

	/**
	 * Measures a round in which jobs are due at a rate.
	 * @param rate jobs per second
	 * @return what it saw
	 */
	String latency(Session session, Latencies latencies, int connections, double rate) throws IOException {
		Usage usage = usage();
		Outcome outcome = this.load.open(connections, rate, session.plan().load(), new long[0]);
		double cpu = usage().microsSince(usage) / outcome.answered();
		outcome.noteFailures(session, latencies.median().name(), this.who);
		return latencies.add(this.who, outcome.latencies(), cpu, Usage.peakMebibytes(this.process));
	}

	/**
	 * Measures a round in which many jobs come together.
	 * @return what it saw
	 */
	String upload(Session session, Work work, Upload upload) throws IOException {
		int jobs = session.plan().upload();
		Usage usage = usage();
		double perSecond = jobs / (upload.run(jobs).toNanos() / 1e9);
		double cpu = usage().microsSince(usage) / jobs;
		work.add(this.who, perSecond, cpu, Usage.peakMebibytes(this.process));
		return "%s %,.0f jobs/s, %.1f us of CPU each".formatted(this.who, perSecond, cpu);
	}

	private Usage usage() throws IOException {
		return Usage.of(List.of(this.process));
	}

	/**
	 * An upload, which tells how long it took.
	 */
	interface Upload {

		Duration run(int jobs) throws IOException;

	}

}
