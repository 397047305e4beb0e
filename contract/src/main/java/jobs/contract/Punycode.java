package jobs.contract;

import org.jspecify.annotations.Nullable;

/** Reads labels of hosts in ASCII (RFC 3492); Java's reader knows an older standard. */
final class Punycode {

	private static final int BASE = 36;

	private static final int DAMP = 700;

	private Punycode() {
	}

	/** Decodes a label without its prefix, or returns {@code null} where it is none. */
	static @Nullable String decode(String label) {
		int delimiter = label.lastIndexOf('-');
		StringBuilder decoded = new StringBuilder(label.substring(0, Math.max(0, delimiter)));
		int length = decoded.length();
		int character = 128;
		int bias = 72;
		long position = 0;
		int at = delimiter + 1;
		while (at < label.length()) {
			long before = position;
			long weight = 1;
			for (int k = BASE;; k += BASE) {
				int digit = (at < label.length()) ? digit(label.charAt(at++)) : -1;
				position += digit * weight;
				if (digit < 0 || position > Integer.MAX_VALUE) {
					return null;
				}
				int threshold = Math.clamp(k - bias, 1, 26);
				if (digit < threshold) {
					break;
				}
				weight *= BASE - threshold;
			}
			length++;
			bias = adapt((position - before) / ((before == 0) ? DAMP : 2), length);
			character += (int) (position / length);
			position %= length;
			if (!Character.isValidCodePoint(character)) {
				return null;
			}
			decoded.insert(decoded.offsetByCodePoints(0, (int) position), Character.toString(character));
			position++;
		}
		return (length > 0 && length > Math.max(0, delimiter)) ? decoded.toString() : null;
	}

	private static int adapt(long delta, int length) {
		long rest = delta + delta / length;
		int k = 0;
		while (rest > 455) {
			rest /= BASE - 1;
			k += BASE;
		}
		return k + (int) (BASE * rest / (rest + 38));
	}

	private static int digit(char c) {
		if (c >= '0' && c <= '9') {
			return c - '0' + 26;
		}
		int letter = c | 0x20;
		return (letter >= 'a' && letter <= 'z') ? letter - 'a' : -1;
	}

}
