package jobs.contract;

/**
 * Walks once over the bytes of a document, and knows most good ones quickly. All that it
 * does not know for good is left to {@link DocumentWalk}, which alone says what is wrong:
 * whatever this walk accepts, that one accepts, with the same events.
 */
final class ByteWalk {

	/** Names of all objects that are open at once. */
	private static final int MAX_NAMES = 64;

	/** Bytes of a name. */
	static final int MAX_NAME = 256;

	/** Digits of an integer that surely has 64 bits. */
	private static final int MAX_DIGITS = 18;

	/** Bytes of a number with a fraction or an exponent. */
	private static final int MAX_DECIMAL = 64;

	private final byte[] document;

	private final JsonEvents events;

	private final KnownNames known;

	private final boolean ownId;

	/** Hashes of the names of all objects that are open, those of the innermost last. */
	private final int[] names = new int[MAX_NAMES];

	private int count;

	private int at;

	private int depth;

	private final ByteText text;

	/**
	 * Prepares a walk.
	 * @param events gets all parts, until one is not known
	 * @param known names that were seen before
	 * @param ownId whether a field {@code id} may be there
	 */
	ByteWalk(byte[] document, JsonEvents events, KnownNames known, boolean ownId) {
		this.document = document;
		this.events = events;
		this.known = known;
		this.ownId = ownId;
		this.text = new ByteText(document);
	}

	/**
	 * Visits all parts, and returns whether the document surely keeps the rules that a
	 * JSON Schema can't say.
	 */
	boolean accepts() {
		return peek() == '{' && container(true) && peek() == 0 && this.at == this.document.length;
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
			case '{' -> container(true);
			case '[' -> container(false);
			case '"' -> string();
			case 't' -> literal("true");
			case 'f' -> literal("false");
			case 'n' -> literal("null");
			case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number();
			default -> false;
		};
	}

	private boolean container(boolean isObject) {
		this.depth++;
		if (this.depth > DocumentWalk.MAX_DEPTH) {
			return false;
		}
		if (isObject) {
			this.events.beginObject();
		}
		else {
			this.events.beginArray();
		}
		int first = this.count;
		this.at++;
		if (!members(isObject, first)) {
			return false;
		}
		this.at++;
		this.count = first;
		this.depth--;
		if (isObject) {
			this.events.endObject();
		}
		else {
			this.events.endArray();
		}
		return true;
	}

	/** Visits what stands between brackets, of which the walk then stands at the last. */
	private boolean members(boolean isObject, int first) {
		byte close = (byte) (isObject ? '}' : ']');
		boolean isOver = peek() == close;
		while (!isOver) {
			if (isObject && !name(first) || !part()) {
				return false;
			}
			byte next = peek();
			isOver = next == close;
			if (next == ',') {
				this.at++;
			}
			else if (!isOver) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Reads a name of ASCII that is none of those that MongoDB or this service has, and
	 * its colon.
	 */
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
		if (peek() != ':') {
			return false;
		}
		this.at++;
		return true;
	}

	private boolean isReserved(int begin, int length) {
		byte first = this.document[begin];
		return first == '$' || this.depth == 1
				&& (first == '_' || !this.ownId && length == 2 && first == 'i' && this.document[begin + 1] == 'd');
	}

	private boolean string() {
		int end = this.text.read(this.at);
		if (end < 0) {
			return false;
		}
		this.at = end;
		this.events.string(this.text);
		return true;
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
			this.text.set(begin, end, 0, false);
			this.events.number(this.text);
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
		this.text.set(begin, end, 0, false);
		if (!Decimals.canBeKept(this.text.value())) {
			return false;
		}
		this.at = end;
		this.events.number(this.text);
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

}
