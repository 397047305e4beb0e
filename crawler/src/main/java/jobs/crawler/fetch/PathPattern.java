package jobs.crawler.fetch;

import java.util.List;

/**
 * A pattern of robots.txt: a prefix of paths, in which {@code *} is any text and
 * {@code $} the end. Source: RFC 9309, 2.2.3.
 *
 * @param parts texts that stand in the path one after the other
 * @param isWhole whether the path ends with the last one
 */
record PathPattern(List<String> parts, boolean isWhole) {

	/** Reads a pattern. */
	static PathPattern of(String pattern) {
		boolean isWhole = pattern.endsWith("$");
		String rest = isWhole ? pattern.substring(0, pattern.length() - 1) : pattern;
		// a dollar elsewhere is one
		return new PathPattern(List.of(rest.replace("$", "%24").split("\\*", -1)), isWhole);
	}

	/** Whether a path, with its query, is one of the pattern. */
	boolean matches(String path) {
		String first = this.parts.getFirst();
		if (!path.startsWith(first)) {
			return false;
		}
		int at = first.length();
		int last = this.parts.size() - 1;
		for (int i = 1; i <= last; i++) {
			String part = this.parts.get(i);
			if (i == last && this.isWhole) {
				return path.length() - part.length() >= at && path.endsWith(part);
			}
			int found = path.indexOf(part, at);
			if (found < 0) {
				return false;
			}
			at = found + part.length();
		}
		return !this.isWhole || at == path.length();
	}

}
