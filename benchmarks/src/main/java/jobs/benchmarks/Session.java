package jobs.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import jobs.benchmarks.Results.Work;
import jobs.localstack.Child;
import org.jspecify.annotations.Nullable;

/**
 * How a run measures, what it has seen so far, and its progress on the terminal.
 */
final class Session {

	private final long start = System.nanoTime();

	private final Results results = new Results();

	private final List<String> notes = new ArrayList<>();

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

	List<String> notes() {
		return this.notes;
	}

	Work work(String name, String unit, @Nullable String floor) {
		return this.results.work(name, unit, floor);
	}

	void note(String sentence) {
		this.notes.add(sentence);
	}

	void say(String sentence) {
		long seconds = Duration.ofNanos(System.nanoTime() - this.start).toSeconds();
		System.out.printf("[%2d:%02d] %s%n", seconds / 60, seconds % 60, sentence);
	}

	/**
	 * Loads a process until its compiler has had its time.
	 */
	void warmUp(String who, Child process, Load load) throws Exception {
		say("Warming up: " + who);
		long start = System.nanoTime();
		// its start has taken CPU as well, but of other code
		Usage before = Usage.of(List.of(process));
		while (Usage.of(List.of(process)).microsSince(before) < this.plan.warmUp().toMillis() * 1000
				&& System.nanoTime() - start < this.plan.warmUpLimit().toNanos()) {
			load.run();
		}
		double seconds = Usage.of(List.of(process)).microsSince(before) / 1e6;
		if (seconds < this.plan.warmUp().toSeconds()) {
			note("%s was warmed up with %.0f s of CPU, of the %d s that it should have had.".formatted(who, seconds,
					this.plan.warmUp().toSeconds()));
		}
	}

	/**
	 * All in turn, and the next round the other way round, so that what drifts with time
	 * meets all.
	 */
	void rounds(Work work, int rounds, List<Step> steps) throws Exception {
		for (int round = 1; round <= rounds; round++) {
			for (Step step : (round % 2 == 1) ? steps : steps.reversed()) {
				say("%s, %d of %d: %s".formatted(work.name(), round, rounds, step.run()));
			}
		}
	}

	/**
	 * One measurement, which tells what it saw.
	 */
	interface Step {

		String run() throws Exception;

	}

	/**
	 * Something that warms up.
	 */
	interface Load {

		void run() throws Exception;

	}

}
