package jobs.contract;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/** What a number must be. */
final class NumberRule {

	private static final BigDecimal LEAST = BigDecimal.valueOf(Long.MIN_VALUE);

	private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);

	private final @Nullable Bound lower;

	private final @Nullable Bound upper;

	private final List<BigDecimal> divisors;

	private final @Nullable Set<BigDecimal> values;

	/** The same for integers of 64 bits, if nothing else is to be kept. */
	private final long min;

	private final long max;

	private final boolean isRange;

	/**
	 * Makes a rule; the values have no trailing zeros, and {@code null} is no bound.
	 */
	NumberRule(@Nullable Bound lower, @Nullable Bound upper, List<BigDecimal> divisors,
			@Nullable Set<BigDecimal> values) {
		this.lower = lower;
		this.upper = upper;
		this.divisors = divisors;
		this.values = values;
		this.min = (lower != null) ? lower.least() : Long.MIN_VALUE;
		this.max = (upper != null) ? upper.largest() : Long.MAX_VALUE;
		this.isRange = divisors.isEmpty() && values == null && isInRange(lower) && isInRange(upper);
	}

	static @Nullable NumberRule and(@Nullable NumberRule a, @Nullable NumberRule b) {
		if (a == null || b == null) {
			return (a != null) ? a : b;
		}
		return new NumberRule(Bound.tighter(a.lower, b.lower, 1), Bound.tighter(a.upper, b.upper, -1),
				Stream.concat(a.divisors.stream(), b.divisors.stream()).distinct().toList(),
				TextRule.common(a.values, b.values));
	}

	private static boolean isInRange(@Nullable Bound bound) {
		return bound == null || (bound.value.compareTo(LEAST) > 0 && bound.value.compareTo(LARGEST) < 0);
	}

	boolean accepts(long value) {
		return this.isRange ? value >= this.min && value <= this.max : accepts(BigDecimal.valueOf(value));
	}

	boolean accepts(BigDecimal value) {
		if (this.lower != null && !this.lower.accepts(value, 1)) {
			return false;
		}
		if (this.upper != null && !this.upper.accepts(value, -1)) {
			return false;
		}
		for (BigDecimal divisor : this.divisors) {
			if (!isMultiple(value, divisor)) {
				return false;
			}
		}
		return this.values == null || this.values.contains(value.stripTrailingZeros());
	}

	/** {@link BigDecimal#remainder(BigDecimal)} writes all zeros of 1e6000. */
	private static boolean isMultiple(BigDecimal value, BigDecimal divisor) {
		BigInteger step = divisor.unscaledValue();
		int zeros = divisor.scale() - value.scale();
		if (zeros < 0) {
			return value.signum() == 0 || (-zeros < value.precision()
					&& value.unscaledValue().remainder(step.multiply(BigInteger.TEN.pow(-zeros))).signum() == 0);
		}
		BigInteger rest = value.unscaledValue().remainder(step);
		return rest.signum() == 0 || (zeros > 0
				&& rest.multiply(BigInteger.TEN.modPow(BigInteger.valueOf(zeros), step)).remainder(step).signum() == 0);
	}

	/** The least or the largest number. */
	record Bound(BigDecimal value, boolean isExclusive) {

		/** The tighter of two bounds, of which the greater is with direction 1. */
		static @Nullable Bound tighter(@Nullable Bound a, @Nullable Bound b, int direction) {
			if (a == null || b == null) {
				return (a != null) ? a : b;
			}
			int order = a.value.compareTo(b.value) * direction;
			return (order > 0 || (order == 0 && a.isExclusive)) ? a : b;
		}

		private boolean accepts(BigDecimal number, int direction) {
			int order = number.compareTo(this.value) * direction;
			return order > 0 || (order == 0 && !this.isExclusive);
		}

		private long least() {
			long value = this.value.min(LARGEST).max(LEAST).setScale(0, RoundingMode.CEILING).longValue();
			boolean isOut = this.isExclusive && this.value.compareTo(BigDecimal.valueOf(value)) == 0;
			return (isOut && value < Long.MAX_VALUE) ? value + 1 : value;
		}

		private long largest() {
			long value = this.value.min(LARGEST).max(LEAST).setScale(0, RoundingMode.FLOOR).longValue();
			boolean isOut = this.isExclusive && this.value.compareTo(BigDecimal.valueOf(value)) == 0;
			return (isOut && value > Long.MIN_VALUE) ? value - 1 : value;
		}

	}

}
