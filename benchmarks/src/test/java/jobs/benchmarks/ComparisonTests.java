package jobs.benchmarks;

import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ComparisonTests {

	private static final List<Double> HUNDREDS = List.of(100D, 101D, 99D, 102D, 98D);

	@Test
	void tellsADifferenceThatAllRoundsHave() {
		Comparison comparison = Comparison.of(List.of(80D, 81D, 79D, 82D, 78D), HUNDREDS);

		assertThat(comparison.text()).isEqualTo("0.80 (0.80 to 0.80)");
		// 2 of 252 orders
		assertThat(comparison.chance()).isBetween(0.0079, 0.008);
		assertThat(comparison.isWorse(true)).isTrue();
		assertThat(comparison.isWorse(false)).isFalse();
	}

	@Test
	void tellsNoDifferenceWhereRoundsOverlap() {
		Comparison comparison = Comparison.of(List.of(110D, 95D, 105D, 90D, 101D), HUNDREDS);

		assertThat(comparison.text()).endsWith(", no difference");
		assertThat(comparison.isWorse(true)).isFalse();
		assertThat(comparison.isWorse(false)).isFalse();
	}

	@Test
	void takesASmallChangeForNone() {
		List<Double> slower = HUNDREDS.stream().map((value) -> value * 0.8).toList();

		assertThat(Comparison.of(slower, HUNDREDS).isWorse(true)).isTrue();
		assertThat(Comparison.of(Collections.nCopies(5, 98D), Collections.nCopies(5, 100D)).isWorse(true)).isFalse();
	}

	@Test
	void tellsADifferenceWhereSomeRoundsAreEqual() {
		assertThat(Comparison.of(List.of(80D, 80D, 79D, 82D, 78D), HUNDREDS).isWorse(true)).isTrue();
		assertThat(Comparison.of(List.of(80D, 80D, 80D, 82D, 82D), HUNDREDS).isWorse(true)).isTrue();
		// one round of five is as good as the others
		assertThat(Comparison.of(List.of(80D, 81D, 79D, 82D, 99.5), HUNDREDS).isWorse(true)).isFalse();
	}

	@Test
	void needsSomeRoundsForAVerdict() {
		Comparison comparison = Comparison.of(List.of(80D, 81D, 79D, 78D), List.of(100D, 101D, 99D, 98D));

		assertThat(comparison.isJudged()).isFalse();
		assertThat(comparison.text()).isEqualTo("0.80 (0.80 to 0.80)");
		assertThat(comparison.isWorse(true)).isFalse();
	}

	@Test
	void leavesOutRoundsWithoutANumber() {
		assertThat(Comparison.of(List.of(Double.NaN, 50D), List.of(100D, 100D)).ratio()).isEqualTo(0.5);
		assertThat(Comparison.of(List.of(1D), List.of()).text()).isEmpty();
	}

}
