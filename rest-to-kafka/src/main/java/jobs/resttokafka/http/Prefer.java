package jobs.resttokafka.http;

import java.util.Collections;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import jakarta.servlet.http.HttpServletRequest;

/** Reads the headers {@code Prefer} (RFC 7240). */
final class Prefer {

	/** What {@code Preference-Applied} says where {@link #isMinimal} was granted. */
	static final String MINIMAL = "return=minimal";

	private static final String QUOTED = "\"(?:[^\"\\\\]|\\\\.)*+\"";

	/** A preference with its value and parameters, which may have quoted commas. */
	private static final Pattern PREFERENCE = Pattern
		.compile("\\s*+([^=;,\"\\s]++)\\s*+(?:=\\s*+(%1$s|[^;,\"\\s]*+))?+(?:%1$s|[^,\"])*+".formatted(QUOTED));

	private Prefer() {
	}

	/**
	 * Whether the client wants a short answer. The first preference of a name counts, and
	 * all others are ignored.
	 */
	static boolean isMinimal(HttpServletRequest request) {
		String preferences = String.join(",", Collections.list(request.getHeaders("Prefer")));
		return PREFERENCE.matcher(preferences)
			.results()
			.filter((preference) -> preference.group(1).equalsIgnoreCase("return"))
			.findFirst()
			.filter(Prefer::asksForMinimal)
			.isPresent();
	}

	private static boolean asksForMinimal(MatchResult preference) {
		String value = preference.group(2);
		return value != null && value.replace("\"", "").equalsIgnoreCase("minimal");
	}

}
