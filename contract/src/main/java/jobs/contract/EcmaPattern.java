package jobs.contract;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Reads a regular expression of ECMA-262, as JSON Schema has them, and writes it in the
 * words that RE2/J and {@code java.util.regex} share.
 * <p>
 * It goes by code points, as with the flag {@code u}. Escapes of punctuation that need
 * none are let pass, and so is a brace that counts nothing.
 */
final class EcmaPattern {

	private static final int MAX_NESTING = 100;

	private static final String NO_CHARACTER = "[^\\x{0}-\\x{10FFFF}]";

	private static final String NO_LINE_END = "[^\\n\\r\\x{2028}\\x{2029}]";

	private final CodePoints source;

	private final boolean isForJava;

	private final StringBuilder out = new StringBuilder();

	private final Map<String, Integer> groupNames = new HashMap<>();

	private int groups;

	private int nesting;

	private @Nullable String backtracking;

	private boolean isFlat = true;

	private int loops;

	private long fixed;

	private int[] lastSet = {};

	private EcmaPattern(String source, boolean isForJava) {
		this.source = new CodePoints(source);
		this.isForJava = isForJava;
	}

	/**
	 * Reads a pattern for one of the two libraries. Throws IllegalArgumentException, with
	 * a reason in a few words, where it is none.
	 */
	static Translation translate(String source, boolean isForJava) {
		return new EcmaPattern(source, isForJava).translate();
	}

	private Translation translate() {
		long size = alternatives();
		if (this.source.hasNext()) {
			throw this.source.fault("closes no group");
		}
		boolean isAnchored = this.out.indexOf("^") == 0;
		boolean isOneSet = this.isFlat && this.fixed == 1 && this.loops == 0 && this.out.indexOf("[") == 0
				&& this.out.indexOf("]") == this.out.length() - 1 && this.lastSet.length > 0;
		boolean isPlain = this.isFlat && this.fixed <= 100 && this.loops <= (isAnchored ? 1 : 0);
		return new Translation(this.out.toString(), this.backtracking, isPlain, size, isOneSet ? this.lastSet : null);
	}

	private long alternatives() {
		if (++this.nesting > MAX_NESTING) {
			throw this.source.fault("nests deeper than " + MAX_NESTING + " groups");
		}
		long size = sequence();
		while (this.source.take('|')) {
			this.isFlat = false;
			this.out.append('|');
			size += 1 + sequence();
		}
		this.nesting--;
		return size;
	}

	private long sequence() {
		long size = 0;
		while (this.source.hasNext() && !this.source.isAt('|') && !this.source.isAt(')')) {
			boolean isAssertion = this.source.isAt('^') || this.source.isAt('$') || this.source.isAt("\\b")
					|| this.source.isAt("\\B");
			long one = term();
			size += isAssertion ? one : quantified(one);
		}
		return size;
	}

	/** Reads one term and returns how large its program is. */
	private long term() {
		int c = this.source.next();
		switch (c) {
			case '^' -> this.out.append('^');
			case '$' -> this.out.append("\\z");
			case '.' -> this.out.append(NO_LINE_END);
			case '(' -> {
				return group();
			}
			case '[' -> characterClass();
			case '\\' -> escape();
			case '*', '+', '?' -> throw this.source.fault("repeats nothing");
			default -> EcmaEscape.literal(c, this.out);
		}
		return 1;
	}

	private long quantified(long one) {
		int[] counts = this.source.quantifier();
		if (counts == null) {
			this.fixed++;
			return one;
		}
		// which way is tried first does not matter to whether one is there
		this.source.take('?');
		if (this.source.quantifier() != null) {
			throw this.source.fault("repeats nothing");
		}
		int min = counts[0];
		int max = counts[1];
		this.out.append('{').append(min).append(',').append((max < 0) ? "" : max).append('}');
		this.loops += (min != max) ? 1 : 0;
		this.fixed += min;
		return Math.min(Integer.MAX_VALUE, one * Math.max(1, (max < 0) ? min + 1L : max) + 2);
	}

	private long group() {
		this.isFlat = false;
		String opening = "(";
		if (this.source.take("?:")) {
			opening = "(?:";
		}
		else if (this.source.isAt("?=") || this.source.isAt("?!")) {
			opening = "(?" + this.source.take(2).charAt(1);
			this.backtracking = "looks ahead";
		}
		else if (this.source.isAt("?<=") || this.source.isAt("?<!")) {
			opening = "(?<" + this.source.take(3).charAt(2);
			this.backtracking = "looks behind";
		}
		else if (this.source.take("?<")) {
			this.groupNames.put(this.source.name('>'), ++this.groups);
		}
		else if (this.source.isAt('?')) {
			throw this.source.fault("has no such group in ECMA-262");
		}
		else {
			this.groups++;
		}
		this.out.append(opening);
		long size = alternatives();
		if (!this.source.take(')')) {
			throw this.source.fault("leaves a group open");
		}
		this.out.append(')');
		return size + 2;
	}

	private void escape() {
		if (!this.source.hasNext()) {
			throw this.source.fault("ends with a backslash");
		}
		if (this.source.isAt('b') || this.source.isAt('B')) {
			this.isFlat = false;
			this.out.append('\\').appendCodePoint(this.source.next());
		}
		else if (this.source.isAtDigit('1')) {
			backReference(this.source.number());
		}
		else if (this.source.take("k<")) {
			Integer group = this.groupNames.get(this.source.name('>'));
			if (group == null) {
				throw this.source.fault("refers to a group that does not stand before");
			}
			backReference(group);
		}
		else {
			EcmaEscape escape = EcmaEscape.read(this.source, this.isForJava);
			set(false, escape.characters(), escape.property());
		}
	}

	private void backReference(int group) {
		this.backtracking = "refers back to a group";
		this.isFlat = false;
		this.out.append("(?:\\").append(group).append(')');
	}

	private void characterClass() {
		boolean isNegated = this.source.take('^');
		CodePointSet characters = new CodePointSet();
		StringBuilder properties = new StringBuilder();
		while (!this.source.take(']')) {
			EcmaEscape from = member();
			EcmaEscape to = from;
			if (this.source.isAt('-') && !this.source.isAt("-]")) {
				this.source.next();
				to = member();
			}
			add(from, to, characters, properties);
		}
		set(isNegated, characters, properties.toString());
	}

	private void add(EcmaEscape from, EcmaEscape to, CodePointSet characters, StringBuilder properties) {
		if (from.character() >= 0 && to.character() >= 0) {
			if (to.character() < from.character()) {
				throw this.source.fault("has a range that is none");
			}
			characters.add(from.character(), to.character());
			return;
		}
		characters.addAll(from.characters());
		properties.append(from.property());
		if (from != to) {
			// in [\w-.] it is a hyphen (ECMA-262, annex B)
			characters.add('-', '-');
			characters.addAll(to.characters());
			properties.append(to.property());
		}
	}

	/** Writes a set of characters. */
	private void set(boolean isNegated, CodePointSet characters, String properties) {
		this.isFlat &= properties.isEmpty();
		if (!properties.isEmpty()) {
			this.out.append(isNegated ? "[^" : "[").append(characters).append(properties).append(']');
			return;
		}
		CodePointSet all = isNegated ? characters.complement() : characters;
		this.lastSet = all.bounds();
		if (this.lastSet.length == 0) {
			this.out.append(NO_CHARACTER);
		}
		else if (isNegated && !characters.toString().isEmpty()) {
			this.out.append("[^").append(characters).append(']');
		}
		else {
			this.out.append('[').append(all).append(']');
		}
	}

	private EcmaEscape member() {
		if (!this.source.hasNext()) {
			throw this.source.fault("leaves a class open");
		}
		int c = this.source.next();
		if (c != '\\') {
			return EcmaEscape.of(c);
		}
		if (this.source.take('b')) {
			return EcmaEscape.of('\b');
		}
		return EcmaEscape.read(this.source, this.isForJava);
	}

	/**
	 * A pattern in other words.
	 *
	 * @param text the pattern
	 * @param backtracking what of it needs to go back, in a few words; RE2/J can't
	 * @param isPlain whether no library can go back much: characters in a row, with one
	 * loop at most
	 * @param size how many instructions RE2/J makes of it, roughly
	 * @param characters of a pattern that is one set of characters, the bounds of its
	 * ranges, or {@code null}
	 */
	record Translation(String text, @Nullable String backtracking, boolean isPlain, long size,
			int @Nullable [] characters) {
	}

}
