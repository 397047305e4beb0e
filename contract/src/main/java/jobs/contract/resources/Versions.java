package jobs.contract.resources;

import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads versions that are written as texts: an integer of 64 bits, or a date-time (RFC
 * 3339), which counts its milliseconds since 1970.
 */
public final class Versions {

	private static final Pattern INTEGER = Pattern.compile("-?\\d{1,19}");

	/** A date-time in parts, of which Java reads nine digits of a fraction. */
	private static final Pattern DATE_TIME = Pattern
		.compile("(\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:)(\\d\\d)(\\.\\d{1,9})?\\d*([Zz]|[+-]\\d\\d:\\d\\d)");

	private Versions() {
	}

	/** Reads a version, or throws IllegalArgumentException with a sentence. */
	public static long parse(String text) {
		try {
			return INTEGER.matcher(text).matches() ? Long.parseLong(text) : millis(text);
		}
		catch (NumberFormatException | DateTimeException ex) {
			throw new IllegalArgumentException(
					"A version is an integer of 64 bits or a date-time, such as 2026-11-28T12:00:00Z", ex);
		}
	}

	/**
	 * The milliseconds since 1970 of a date-time. What is finer is cut off, and a leap
	 * second is the one after it. Throws {@link DateTimeException} where the text is
	 * none.
	 */
	static long millis(String text) {
		Matcher parts = DATE_TIME.matcher(text);
		if (!parts.matches()) {
			throw new DateTimeException("No date-time: '%s'".formatted(text));
		}
		boolean isLeap = parts.group(2).equals("60");
		String fraction = (parts.group(3) != null) ? parts.group(3) : "";
		return OffsetDateTime.parse(parts.group(1) + (isLeap ? "59" : parts.group(2)) + fraction + parts.group(4))
			.plusSeconds(isLeap ? 1 : 0)
			.toInstant()
			.toEpochMilli();
	}

}
