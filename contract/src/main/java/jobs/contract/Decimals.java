package jobs.contract;

import java.math.BigDecimal;

import org.jspecify.annotations.Nullable;

/** Tells which decimals MongoDB holds exactly: doubles, and those of Decimal128. */
public final class Decimals {

	private Decimals() {
	}

	/** Whether a double holds the number exactly. */
	public static boolean isDouble(BigDecimal decimal) {
		double value = decimal.doubleValue();
		return Double.isFinite(value) && BigDecimal.valueOf(value).compareTo(decimal) == 0;
	}

	/** Whether MongoDB holds the number exactly, as a double or as a Decimal128. */
	public static boolean canBeKept(String number) {
		BigDecimal decimal = parse(number);
		return decimal != null && decimal.precision() <= 34 && (isDouble(decimal) || isDecimal128(decimal));
	}

	/**
	 * Whether a number of up to 34 digits is in the range of Decimal128, from 1E-6176 to
	 * 9.99...E+6144.
	 */
	private static boolean isDecimal128(BigDecimal decimal) {
		long magnitude = decimal.precision() - 1L - decimal.scale();
		return magnitude >= -6176 && magnitude <= 6144 && decimal.stripTrailingZeros().scale() <= 6176;
	}

	/** The number, or {@code null} where its exponent is beyond {@link BigDecimal}. */
	private static @Nullable BigDecimal parse(String number) {
		try {
			return new BigDecimal(number);
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

}
