package jobs.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import org.apache.commons.statistics.inference.MannWhitneyUTest;

/**
 * The figures of one beside those of another one, in the same rounds.
 *
 * @param ratio the median of the rounds' ratios; not a number where there are none
 * @param least the lower bound of the ratio
 * @param most the upper bound of the ratio: 95 of 100 medians of rounds that are drawn
 * again from these (percentile bootstrap) are between both
 * @param chance how likely figures of one and the same lie as far apart as these, by
 * their ranks (Mann-Whitney, two-sided)
 */
record Comparison(double ratio, double least, double most, double chance) {

	/** Beyond it figures may be those of one and the same. */
	private static final double DIFFERENT = 0.05;

	/**
	 * Beyond it a change is none: below lie five rounds each of which all of one lie
	 * beside all of the other one, also where some are equal.
	 */
	private static final double CHANGED = 0.015;

	/** Changes of less are not worth a word: two builds of one commit differ so much. */
	private static final double SMALL = 0.03;

	private static final int DRAWS = 10_000;

	/** Rounds of each that a rank test needs before it can tell anything. */
	private static final int FEW = 5;

	/**
	 * Compares.
	 * @param values a figure a round
	 * @param others the figures of the other one, in the same rounds
	 */
	static Comparison of(List<Double> values, List<Double> others) {
		List<Double> ratios = new ArrayList<>();
		List<Double> ones = new ArrayList<>();
		List<Double> twos = new ArrayList<>();
		for (int i = 0; i < Math.min(values.size(), others.size()); i++) {
			double ratio = values.get(i) / others.get(i);
			if (Double.isFinite(ratio)) {
				ratios.add(ratio);
				ones.add(values.get(i));
				twos.add(others.get(i));
			}
		}
		if (ratios.isEmpty()) {
			return new Comparison(Double.NaN, Double.NaN, Double.NaN, Double.NaN);
		}
		double[] medians = new double[DRAWS];
		// the same figures have the same bounds
		Random random = new Random(DRAWS);
		for (int i = 0; i < DRAWS; i++) {
			medians[i] = Results.median(random.ints(ratios.size(), 0, ratios.size()).mapToObj(ratios::get).toList());
		}
		Arrays.sort(medians);
		return new Comparison(Results.median(ratios), medians[DRAWS / 40], medians[DRAWS - 1 - DRAWS / 40],
				(ratios.size() < FEW) ? Double.NaN
						: MannWhitneyUTest.withDefaults().test(numbers(ones), numbers(twos)).getPValue());
	}

	private static double[] numbers(List<Double> values) {
		return values.stream().mapToDouble(Double::doubleValue).toArray();
	}

	/**
	 * Whether the first one has become worse, beyond what chance and two builds make.
	 * @param isMoreBetter whether higher figures are better ones
	 */
	boolean isWorse(boolean isMoreBetter) {
		boolean isBeyond = isMoreBetter ? this.most < 1 && this.ratio < 1 - SMALL
				: this.least > 1 && this.ratio > 1 + SMALL;
		return isBeyond && this.chance < CHANGED;
	}

	/** Whether there were enough rounds for a verdict. */
	boolean isJudged() {
		return !Double.isNaN(this.chance);
	}

	/** The ratio, its bounds, and whether it tells a difference. */
	String text() {
		if (Double.isNaN(this.ratio)) {
			return "";
		}
		if (this.least == this.most) {
			return number(this.ratio);
		}
		String text = "%s (%s to %s)".formatted(number(this.ratio), number(this.least), number(this.most));
		return (this.chance >= DIFFERENT) ? text + ", no difference" : text;
	}

	private static String number(double value) {
		return String.format(Locale.ROOT, "%.2f", value);
	}

}
