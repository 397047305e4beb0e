package jobs.endtoend.seen;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Makes the times in alerts shorter, so that a run of minutes sees what takes hours.
 */
final class ScaledAlerts {

	private static final Pattern TIME = Pattern.compile("(for: |\\[|offset )(\\d+)([smhd])\\b");

	/** A metric in seconds that is compared with a number. */
	private static final Pattern SECONDS = Pattern.compile("(_seconds[)\\s]*[<>]=? )(\\d+)\\b");

	private ScaledAlerts() {
	}

	/**
	 * Scales the times for which something has to last, the ranges and the offsets, and
	 * the numbers that seconds are compared with.
	 * @param rules a file of rules
	 * @param faster how many times shorter: at 20, a minute becomes three seconds
	 */
	static String of(String rules, int faster) {
		String times = TIME.matcher(rules)
			.replaceAll((time) -> "%s%dms".formatted(time.group(1), millis(time) / faster));
		return SECONDS.matcher(times)
			.replaceAll((seconds) -> seconds.group(1) + Long.parseLong(seconds.group(2)) / (double) faster);
	}

	private static long millis(MatchResult time) {
		long unit = switch (time.group(3)) {
			case "s" -> 1000;
			case "m" -> 60_000;
			case "h" -> 3_600_000;
			default -> 86_400_000;
		};
		return Long.parseLong(time.group(2)) * unit;
	}

}
