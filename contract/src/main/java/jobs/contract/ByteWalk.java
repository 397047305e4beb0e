package jobs.contract;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Walks once over the bytes of a document, and knows most good ones quickly. All that it
 * does not know for good is left to {@link DocumentWalk}, which alone says what is wrong:
 * whatever this walk accepts, that one accepts, with the same events.
 */
final class ByteWalk implements JsonEvents.Text {

	/** Names of all objects that are open at once. */
	private static final int MAX_NAMES = 64;

	/** Bytes of a name. */
	static final int MAX_NAME = 256;

	/** Digits of an integer that surely has 64 bits. */
	private static final int MAX_DIGITS = 18;

	/** Bytes of an escape with four digits. */
	private static final int UNICODE = 6;

	/** Bytes of a string: Jackson has bounds of its own. */
	private static final int MAX_TEXT = 4 * 1024 * 1024;

	/** Bytes of a number with a fraction or an exponent. */
	private static final int MAX_DECIMAL = 64;

	private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

	private static final long ONES = 0x0101010101010101L;

	private static final long HIGH_BITS = 0x80 * ONES;

	private final byte[] document;

	private final JsonEvents events;

	private final Names known;

	private final boolean ownId;

	/** Hashes of the names of all objects that are open, those of the innermost last. */
	private final int[] names = new int[MAX_NAMES];

	private int count;

	private int at;

	private int depth;

	/** Whether the bytes beyond ASCII are known to be UTF-8. */
	private boolean isUtf8;

	private int from;

	private int to;

	/** Code units that the text has less than bytes. */
	private int less;

	private boolean hasEscapes;

	private @Nullable String value;

	/**
	 * Prepares a walk.
	 * @param events gets all parts, until one is not known
	 * @param known names that were seen before
	 * @param ownId whether a field {@code id} may be there
	 */
	ByteWalk(byte[] document, JsonEvents events, Names known, boolean ownId) {
		this.document = document;
		this.events = events;
		this.known = known;
		this.ownId = ownId;
	}

	/**
	 * Visits all parts, and returns whether the document surely keeps the rules that a
	 * JSON Schema can't say.
	 */
	boolean accepts() {
		return peek() == '{' && object() && peek() == 0 && this.at == this.document.length;
	}

	/** The next byte that is no space, at which the walk then stands; 0 at the end. */
	private byte peek() {
		while (this.at < this.document.length) {
			byte next = this.document[this.at];
			if (next != ' ' && next != '\n' && next != '\r' && next != '\t') {
				return next;
			}
			this.at++;
		}
		return 0;
	}

	private boolean part() {
		return switch (peek()) {
			case '{' -> object();
			case '[' -> array();
			case '"' -> string();
			case 't' -> literal("true");
			case 'f' -> literal("false");
			case 'n' -> literal("null");
			case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number();
			default -> false;
		};
	}

	private boolean object() {
		this.depth++;
		if (this.depth > DocumentWalk.MAX_DEPTH) {
			return false;
		}
		this.events.beginObject();
		int first = this.count;
		this.at++;
		boolean isOver = peek() == '}';
		while (!isOver) {
			if (!name(first) || peek() != ':') {
				return false;
			}
			this.at++;
			if (!part()) {
				return false;
			}
			byte next = peek();
			isOver = next == '}';
			if (next == ',') {
				this.at++;
			}
			else if (!isOver) {
				return false;
			}
		}
		this.at++;
		this.count = first;
		this.depth--;
		this.events.endObject();
		return true;
	}

	private boolean array() {
		this.depth++;
		if (this.depth > DocumentWalk.MAX_DEPTH) {
			return false;
		}
		this.events.beginArray();
		this.at++;
		boolean isOver = peek() == ']';
		while (!isOver) {
			if (!part()) {
				return false;
			}
			byte next = peek();
			isOver = next == ']';
			if (next == ',') {
				this.at++;
			}
			else if (!isOver) {
				return false;
			}
		}
		this.at++;
		this.depth--;
		this.events.endArray();
		return true;
	}

	/** Reads a name of ASCII that is none of those that MongoDB or this service has. */
	private boolean name(int first) {
		if (peek() != '"') {
			return false;
		}
		int begin = this.at + 1;
		int end = begin;
		int hash = 0;
		while (end < this.document.length && this.document[end] != '"') {
			byte next = this.document[end];
			// also what is no ASCII
			if (next < ' ' || next == '\\' || next == '.') {
				return false;
			}
			// as that of a String
			hash = 31 * hash + next;
			end++;
		}
		int length = end - begin;
		if (end == this.document.length || length > MAX_NAME || this.count == MAX_NAMES || isReserved(begin, length)) {
			return false;
		}
		for (int i = first; i < this.count; i++) {
			if (this.names[i] == hash) {
				return false;
			}
		}
		this.names[this.count] = hash;
		this.count++;
		this.at = end + 1;
		this.events.name(this.known.of(this.document, begin, length, hash));
		return true;
	}

	private boolean isReserved(int begin, int length) {
		byte first = this.document[begin];
		return first == '$' || this.depth == 1
				&& (first == '_' || !this.ownId && length == 2 && first == 'i' && this.document[begin + 1] == 'd');
	}

	private boolean string() {
		int begin = this.at + 1;
		int end = begin;
		int fewer = 0;
		boolean escapes = false;
		while (true) {
			end = afterPlain(end);
			if (end >= this.document.length) {
				return false;
			}
			byte next = this.document[end];
			if (next == '"') {
				break;
			}
			if (next == '\\') {
				int length = escape(end);
				if (length == 0) {
					return false;
				}
				escapes = true;
				fewer += length - 1;
				end += length - 1;
			}
			else if (next < 0) {
				if (!isUtf8()) {
					return false;
				}
				// of a character of four bytes are two units, of any other one
				fewer += ((next & 0xC0) == 0x80) ? 1 : ((next & 0xF8) == 0xF0) ? -1 : 0;
			}
			else if (next < ' ') {
				return false;
			}
			end++;
		}
		if (end - begin > MAX_TEXT) {
			return false;
		}
		text(begin, end, fewer, escapes);
		this.at = end + 1;
		this.events.string(this);
		return true;
	}

	/** The first byte from here on that may need a look, eight of them at a time. */
	private int afterPlain(int from) {
		int next = from;
		while (next <= this.document.length - Long.BYTES) {
			long eight = (long) EIGHT.get(this.document, next);
			long quote = eight ^ ('"' * ONES);
			long slash = eight ^ ('\\' * ONES);
			long found = (eight | (eight - ' ' * ONES) & ~eight | (quote - ONES) & ~quote | (slash - ONES) & ~slash)
					& HIGH_BITS;
			if (found != 0) {
				return next + Long.numberOfTrailingZeros(found) / Byte.SIZE;
			}
			next += Long.BYTES;
		}
		return next;
	}

	private boolean isUtf8() {
		this.isUtf8 = this.isUtf8 || Utf8.decode(this.document) != null;
		return this.isUtf8;
	}

	/** The bytes of what stands for one code unit; 0 for half of a pair, or no escape. */
	private int escape(int slash) {
		if (slash + 1 >= this.document.length) {
			return 0;
		}
		if (this.document[slash + 1] != 'u') {
			return (unescaped((char) this.document[slash + 1]) != 0) ? 2 : 0;
		}
		if (slash + UNICODE > this.document.length) {
			return 0;
		}
		int unit = 0;
		for (int i = slash + 2; i < slash + UNICODE; i++) {
			int digit = Character.digit((char) this.document[i], 16);
			if (digit < 0) {
				return 0;
			}
			unit = 16 * unit + digit;
		}
		return Character.isSurrogate((char) unit) ? 0 : UNICODE;
	}

	/** What a character behind a backslash stands for; 0 for what is not known. */
	private static char unescaped(char escape) {
		return switch (escape) {
			case '"', '\\', '/' -> escape;
			case 'n' -> '\n';
			case 't' -> '\t';
			case 'r' -> '\r';
			case 'b' -> '\b';
			case 'f' -> '\f';
			default -> 0;
		};
	}

	private boolean number() {
		int begin = this.at;
		boolean isNegative = this.document[begin] == '-';
		int digits = begin + (isNegative ? 1 : 0);
		int end = digits;
		long number = 0;
		while (isDigit(end)) {
			number = 10 * number + (this.document[end] - '0');
			end++;
		}
		int length = end - digits;
		if (length == 0 || length > MAX_DIGITS || length > 1 && this.document[digits] == '0') {
			return false;
		}
		boolean isDecimal = end < this.document.length
				&& (this.document[end] == '.' || (this.document[end] | ' ') == 'e');
		if (isDecimal) {
			return decimal(begin, end);
		}
		this.at = end;
		if (isNegative && number == 0) {
			text(begin, end, 0, false);
			this.events.number(this);
		}
		else {
			this.events.number(isNegative ? -number : number);
		}
		return true;
	}

	private boolean decimal(int begin, int afterDigits) {
		int end = afterDigits;
		if (this.document[end] == '.') {
			end = afterDigits(end + 1);
		}
		if (end > 0 && end < this.document.length && (this.document[end] | ' ') == 'e') {
			end++;
			boolean hasSign = end < this.document.length && (this.document[end] == '-' || this.document[end] == '+');
			end = afterDigits(hasSign ? end + 1 : end);
		}
		if (end < 0 || end - begin > MAX_DECIMAL) {
			return false;
		}
		text(begin, end, 0, false);
		if (!Decimals.canBeKept(value())) {
			return false;
		}
		this.at = end;
		this.events.number(this);
		return true;
	}

	/** Where digits end, of which one must be there; -1 where none is. */
	private int afterDigits(int begin) {
		int end = begin;
		while (isDigit(end)) {
			end++;
		}
		return (end > begin) ? end : -1;
	}

	private boolean isDigit(int index) {
		return index < this.document.length && this.document[index] >= '0' && this.document[index] <= '9';
	}

	private boolean literal(String word) {
		if (this.document.length - this.at < word.length()) {
			return false;
		}
		for (int i = 0; i < word.length(); i++) {
			if (this.document[this.at + i] != word.charAt(i)) {
				return false;
			}
		}
		this.at += word.length();
		if (word.charAt(0) == 'n') {
			this.events.literalNull();
		}
		else {
			this.events.literal(word.charAt(0) == 't');
		}
		return true;
	}

	private void text(int begin, int end, int fewer, boolean escapes) {
		this.from = begin;
		this.to = end;
		this.less = fewer;
		this.hasEscapes = escapes;
		this.value = null;
	}

	@Override
	public int length() {
		return this.to - this.from - this.less;
	}

	@Override
	public String value() {
		String text = this.value;
		if (text == null) {
			text = new String(this.document, this.from, this.to - this.from, StandardCharsets.UTF_8);
			text = this.hasEscapes ? unescaped(text) : text;
			this.value = text;
		}
		return text;
	}

	private static String unescaped(String text) {
		StringBuilder plain = new StringBuilder(text.length());
		for (int i = 0; i < text.length(); i++) {
			char next = text.charAt(i);
			if (next == '\\') {
				i++;
				boolean isUnicode = text.charAt(i) == 'u';
				next = isUnicode ? (char) Integer.parseInt(text, i + 1, i + 5, 16) : unescaped(text.charAt(i));
				i += isUnicode ? 4 : 0;
			}
			plain.append(next);
		}
		return plain.toString();
	}

	/**
	 * Names that were seen, so that each is not made again for each document. Several
	 * threads may share it: the worst of a race is a name that is made once more.
	 */
	static final class Names {

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

}
