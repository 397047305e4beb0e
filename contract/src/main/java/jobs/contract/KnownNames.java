package jobs.contract;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Names that were seen, so that each is not made again for each document. Several threads
 * may share it: the worst of a race is a name that is made once more.
 */
final class KnownNames {

	/** A power of two. */
	private static final int SIZE = 1024;

	private final @Nullable String[] names = new String[SIZE];

	/** A name of ASCII, given its bytes and the hash that it has as a String. */
	String of(byte[] document, int begin, int length, int hash) {
		int place = (hash ^ (hash >>> 16)) & (SIZE - 1);
		String seen = this.names[place];
		if (seen != null && seen.hashCode() == hash && isSame(seen, document, begin, length)) {
			return seen;
		}
		String name = new String(document, begin, length, StandardCharsets.US_ASCII);
		this.names[place] = name;
		return name;
	}

	private static boolean isSame(String name, byte[] document, int begin, int length) {
		if (name.length() != length) {
			return false;
		}
		for (int i = 0; i < length; i++) {
			if (name.charAt(i) != document[begin + i]) {
				return false;
			}
		}
		return true;
	}

}
