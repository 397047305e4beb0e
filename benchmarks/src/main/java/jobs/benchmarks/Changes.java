package jobs.benchmarks;

import java.util.ArrayList;
import java.util.List;

/**
 * What has changed between two versions.
 */
final class Changes {

	private final List<String> worse = new ArrayList<>();

	private int judged;

	/**
	 * Judges a figure, where there were enough rounds.
	 * @param line what is told of it
	 * @param isMoreBetter whether higher figures are better ones
	 */
	void add(String line, Comparison comparison, boolean isMoreBetter) {
		this.judged += comparison.isJudged() ? 1 : 0;
		if (comparison.isWorse(isMoreBetter)) {
			this.worse.add(line);
		}
	}

	/** Figures with enough rounds for a verdict. */
	int judged() {
		return this.judged;
	}

	/** What has become worse, a line each. */
	List<String> worse() {
		return this.worse;
	}

}
