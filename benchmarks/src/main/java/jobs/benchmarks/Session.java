package jobs.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import jobs.benchmarks.Results.Work;
import jobs.localstack.Child;
import org.jspecify.annotations.Nullable;

/**
 * How a run measures, what it has seen so far, and its progress on the terminal.
 */
final class Session {

	/** CPU time that the host took during a row, from which on it is told. */
	private static final long NOTED_MILLIS = 50;

	private final long start = System.nanoTime();

	private final Results results = new Results();

	private final Plan plan;

	Session(Plan plan) {
		this.plan = plan;
	}

	Plan plan() {
		return this.plan;
	}

	Results results() {
		return this.results;
	}

	/** Begins a part, or goes on with it. */
	void begin(String part) {
		this.results.begin(part);
	}

	Work work(String name, String unit, @Nullable String floor) {
		return this.results.work(name, unit, floor);
	}

	void note(String sentence) {
		this.results.note(sentence);
	}

	void say(String sentence) {
		long seconds = Duration.ofNanos(System.nanoTime() - this.start).toSeconds();
		System.out.printf("[%2d:%02d] %s%n", seconds / 60, seconds % 60, sentence);
	}

	/**
	 * Loads processes, all at once so that none of the machine's CPU time is idle, until
	 * the compiler of each has had its time.
	 */
	void warmUp(List<WarmUp> warmUps) throws Exception {
		warmUp(warmUps, this.plan.warmUpLimit());
	}

	void warmUp(List<WarmUp> warmUps, Duration most) throws Exception {
		say("Warming up: " + String.join(", ", warmUps.stream().map(WarmUp::who).toList()));
		long limit = System.nanoTime() + most.toNanos();
		try (ExecutorService threads = Executors.newCachedThreadPool()) {
			List<Future<@Nullable Void>> done = threads
				.invokeAll(warmUps.stream().map((one) -> warmUp(one, limit)).toList());
			for (Future<@Nullable Void> one : done) {
				one.get();
			}
		}
	}

	private Callable<@Nullable Void> warmUp(WarmUp one, long limit) {
		return () -> {
			// its start has taken CPU as well, but of other code
			Usage before = Usage.of(List.of(one.process()));
			Duration warmUp = this.plan.warmUp();
			while (Usage.of(List.of(one.process())).microsSince(before) < warmUp.toMillis() * 1000
					&& System.nanoTime() < limit) {
				one.load().run();
			}
			double seconds = Usage.of(List.of(one.process())).microsSince(before) / 1e6;
			if (seconds < warmUp.toSeconds()) {
				note("%s was warmed up with %.0f s of CPU, of the %d s that it should have had.".formatted(one.who(),
						seconds, warmUp.toSeconds()));
			}
			return null;
		};
	}

	/**
	 * All in turn, and the next round the other way round, so that what drifts with time
	 * meets all.
	 */
	void rounds(Work work, int rounds, List<Step> steps) throws Exception {
		long before = Usage.stolenMillis();
		for (int round = 1; round <= rounds; round++) {
			for (Step step : (round % 2 == 1) ? steps : steps.reversed()) {
				say("%s, %d of %d: %s".formatted(work.name(), round, rounds, step.run()));
			}
		}
		long stolen = Usage.stolenMillis() - before;
		if (stolen >= NOTED_MILLIS) {
			note("%s: meanwhile the host took %,d ms of this machine's CPU time (steal).".formatted(work.name(),
					stolen));
		}
	}

	/**
	 * One measurement, which tells what it saw.
	 */
	interface Step {

		String run() throws Exception;

	}

	/**
	 * How a process is warmed up.
	 *
	 * @param who it is
	 * @param process that is loaded
	 * @param load some seconds of it
	 */
	record WarmUp(String who, Child process, Load load) {

	}

	/**
	 * Something that warms up.
	 */
	interface Load {

		void run() throws Exception;

	}

}
