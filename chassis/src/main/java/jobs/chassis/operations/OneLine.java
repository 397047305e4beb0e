package jobs.chassis.operations;

import java.util.regex.Pattern;

/** Text that somebody else chose, for a line of a log or a terminal. */
public final class OneLine {

	/** Control, format and unassigned characters, and what else ends a line. */
	private static final Pattern UNSAFE = Pattern.compile("[\\p{C}\\u2028\\u2029]");

	private OneLine() {
	}

	/** The text with a question mark for each character that would change the line. */
	public static String of(String text) {
		return UNSAFE.matcher(text).replaceAll("?");
	}

}
