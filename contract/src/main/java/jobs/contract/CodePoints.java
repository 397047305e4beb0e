package jobs.contract;

import org.jspecify.annotations.Nullable;

/** Goes over the code points of a regular expression. */
final class CodePoints {

	private static final int MAX_NUMBER = 100_000_000;

	private final String text;

	private int at;

	CodePoints(String text) {
		this.text = text;
	}

	boolean hasNext() {
		return this.at < this.text.length();
	}

	int next() {
		int c = this.text.codePointAt(this.at);
		this.at += Character.charCount(c);
		return c;
	}

	boolean isAt(char c) {
		return hasNext() && this.text.charAt(this.at) == c;
	}

	boolean isAt(String part) {
		return this.text.startsWith(part, this.at);
	}

	boolean isAtDigit(char least) {
		return hasNext() && this.text.charAt(this.at) >= least && this.text.charAt(this.at) <= '9';
	}

	boolean take(char c) {
		boolean isThere = isAt(c);
		this.at += isThere ? 1 : 0;
		return isThere;
	}

	boolean take(String part) {
		boolean isThere = isAt(part);
		this.at += isThere ? part.length() : 0;
		return isThere;
	}

	String take(int length) {
		this.at += length;
		return this.text.substring(this.at - length, this.at);
	}

	/** Reads up to a closing character, which it takes as well. */
	String name(char closing) {
		int end = this.text.indexOf(closing, this.at);
		if (end <= this.at) {
			throw fault("has a name that does not end with '" + closing + "'");
		}
		String name = this.text.substring(this.at, end);
		this.at = end + 1;
		return name;
	}

	int number() {
		long number = 0;
		while (isAtDigit('0')) {
			number = Math.min(MAX_NUMBER, number * 10 + this.text.charAt(this.at++) - '0');
		}
		return (int) number;
	}

	int hexadecimal(int digits) {
		int value = 0;
		for (int i = 0; i < digits; i++) {
			int digit = hasNext() ? Character.digit(this.text.charAt(this.at), 16) : -1;
			if (digit < 0 || this.text.charAt(this.at) > 'f') {
				throw fault("has an escape with fewer than " + digits + " hexadecimal digits");
			}
			value = value * 16 + digit;
			this.at++;
		}
		return value;
	}

	/**
	 * Reads how often something may stand there, the least and the most, with -1 for no
	 * bound; returns {@code null} and takes nothing where no such word stands.
	 */
	int @Nullable [] quantifier() {
		if (take('*')) {
			return new int[] { 0, -1 };
		}
		if (take('+')) {
			return new int[] { 1, -1 };
		}
		if (take('?')) {
			return new int[] { 0, 1 };
		}
		int start = this.at;
		if (take('{') && isAtDigit('0')) {
			int min = number();
			int max = min;
			if (take(',')) {
				max = isAtDigit('0') ? number() : -1;
			}
			if (take('}')) {
				if (max >= 0 && max < min) {
					throw fault("counts from " + min + " to " + max);
				}
				return new int[] { min, max };
			}
		}
		this.at = start;
		return null;
	}

	/** Says where a pattern is none, and why. */
	IllegalArgumentException fault(String reason) {
		return new IllegalArgumentException("%s, before character %d".formatted(reason, this.at + 1));
	}

}
