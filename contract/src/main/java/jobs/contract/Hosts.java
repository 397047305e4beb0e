package jobs.contract;

import java.net.IDN;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the validator's formats leave open about names of hosts. */
final class Hosts {

	private static final int MAX_NAME = 253;

	private static final Pattern DOT = Pattern.compile("[.\u3002\uff0e\uff61]");

	private static final Pattern ASCII = Pattern
		.compile("[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*");

	/** RFC 3986, section 3.2. */
	private static final Pattern AUTHORITY = Pattern
		.compile("(?:[^@\\[\\]]*@)?(?:\\[(.+)\\]|[^:@\\[\\]]*)(?::[0-9]*)?");

	private static final Pattern FUTURE = Pattern.compile("//\\[[vV][0-9a-fA-F]+\\.[0-9a-zA-Z._~!$&'()*+,;=:-]+\\]");

	private final Predicate<String> international;

	private final Predicate<String> ipv6;

	private final Predicate<String> ipv4;

	/** Makes the rules; names in other letters and addresses are for others to judge. */
	Hosts(Predicate<String> international, Predicate<String> ipv6, Predicate<String> ipv4) {
		this.international = international;
		this.ipv6 = ipv6;
		this.ipv4 = ipv4;
	}

	/** RFC 1123, and RFC 5891 for labels that begin with {@code xn--}. */
	boolean isName(String value) {
		return value.length() <= MAX_NAME && ASCII.matcher(value).matches()
				&& labels(value).allMatch((label) -> !hasHyphens(label) || isEncoded(label));
	}

	/** RFC 5890 to 5893. */
	boolean isInternationalName(String value) {
		return value.length() <= MAX_NAME && labels(value).noneMatch(String::isEmpty) && this.international.test(value)
				&& isShort(value) && readsOneWay(value);
	}

	/** An address in brackets (RFC 5321, section 4.1.3). */
	boolean isAddress(String value) {
		if (!value.startsWith("[") || !value.endsWith("]") || value.length() > MAX_NAME) {
			return false;
		}
		String address = value.substring(1, value.length() - 1);
		return address.startsWith("IPv6:") ? this.ipv6.test(address.substring("IPv6:".length()))
				: this.ipv4.test(address);
	}

	/** Whether the authority of an address, if there is one, is well-formed. */
	boolean hasGoodAuthority(String value) {
		try {
			String authority = new URI(value).getRawAuthority();
			Matcher parts = AUTHORITY.matcher((authority != null) ? authority : "");
			return parts.matches()
					&& (parts.group(1) == null || parts.group(1).startsWith("v") || this.ipv6.test(parts.group(1)));
		}
		catch (URISyntaxException ex) {
			return true;
		}
	}

	/** Puts an address of IPv6 where one of a later version stands (RFC 3986). */
	static String withoutFutureAddress(String value) {
		return value.contains("//[") ? FUTURE.matcher(value).replaceFirst("//[::1]") : value;
	}

	private static Stream<String> labels(String value) {
		return Stream.of(DOT.split(value, -1));
	}

	private static boolean hasHyphens(String label) {
		return label.startsWith("--", 2);
	}

	private boolean isEncoded(String label) {
		String decoded = label.toLowerCase(Locale.ROOT).startsWith("xn--") ? Punycode.decode(label.substring(4)) : null;
		return decoded != null && isInternationalName(decoded);
	}

	private static boolean isShort(String value) {
		try {
			return IDN.toASCII(value, IDN.ALLOW_UNASSIGNED).length() <= MAX_NAME;
		}
		catch (IllegalArgumentException ex) {
			// Java knows an older standard of such names
			return true;
		}
	}

	/** RFC 5893, section 2. */
	private static boolean readsOneWay(String value) {
		List<int[]> directions = labels(value)
			.map((label) -> label.codePoints().map(Character::getDirectionality).toArray())
			.toList();
		boolean isBidirectional = directions.stream()
			.anyMatch((label) -> has(label, Character.DIRECTIONALITY_RIGHT_TO_LEFT,
					Character.DIRECTIONALITY_RIGHT_TO_LEFT_ARABIC, Character.DIRECTIONALITY_ARABIC_NUMBER));
		return !isBidirectional || directions.stream().allMatch(Hosts::readsOneWay);
	}

	private static boolean readsOneWay(int[] label) {
		int last = label.length - 1;
		while (last > 0 && label[last] == Character.DIRECTIONALITY_NONSPACING_MARK) {
			last--;
		}
		int[] end = { label[last] };
		if (has(new int[] { label[0] }, Character.DIRECTIONALITY_LEFT_TO_RIGHT)) {
			return has(end, Character.DIRECTIONALITY_LEFT_TO_RIGHT, Character.DIRECTIONALITY_EUROPEAN_NUMBER)
					&& !has(label, Character.DIRECTIONALITY_RIGHT_TO_LEFT,
							Character.DIRECTIONALITY_RIGHT_TO_LEFT_ARABIC, Character.DIRECTIONALITY_ARABIC_NUMBER);
		}
		return has(new int[] { label[0] }, Character.DIRECTIONALITY_RIGHT_TO_LEFT,
				Character.DIRECTIONALITY_RIGHT_TO_LEFT_ARABIC)
				&& has(end, Character.DIRECTIONALITY_RIGHT_TO_LEFT, Character.DIRECTIONALITY_RIGHT_TO_LEFT_ARABIC,
						Character.DIRECTIONALITY_EUROPEAN_NUMBER, Character.DIRECTIONALITY_ARABIC_NUMBER)
				&& !has(label, Character.DIRECTIONALITY_LEFT_TO_RIGHT)
				&& !(has(label, Character.DIRECTIONALITY_EUROPEAN_NUMBER)
						&& has(label, Character.DIRECTIONALITY_ARABIC_NUMBER));
	}

	private static boolean has(int[] directions, byte... some) {
		for (int direction : directions) {
			for (byte one : some) {
				if (direction == one) {
					return true;
				}
			}
		}
		return false;
	}

}
