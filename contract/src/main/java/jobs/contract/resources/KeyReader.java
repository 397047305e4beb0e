package jobs.contract.resources;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import jobs.contract.JsonSink;
import jobs.contract.RefusedDocumentException;
import jobs.contract.Violation;
import org.jspecify.annotations.Nullable;

/**
 * Reads the {@link KeyFields} of one document while its parts go by. The contract has the
 * last word: after a document that it refuses, the values are worthless.
 */
public final class KeyReader implements JsonSink {

	/** The most characters of an id. */
	public static final int ID_CHARACTERS = 512;

	private final @Nullable Target id;

	private final @Nullable Target version;

	private final @Nullable Target expires;

	private final List<Target> targets;

	private int depth;

	KeyReader(KeyFields fields) {
		this.id = Target.of(fields.id());
		this.version = Target.of(fields.version());
		this.expires = Target.of(fields.expires());
		// there is a reader for each document, and a stream would cost it 2 % of its CPU
		// time
		this.targets = fields.areAny()
				? Stream.of(this.id, this.version, this.expires).filter(Objects::nonNull).toList() : List.of();
	}

	@Override
	public void restart() {
		this.depth = 0;
		this.targets.forEach(Target::forget);
	}

	@Override
	public void beginObject() {
		this.depth++;
		this.targets.forEach((target) -> target.begin(true));
	}

	@Override
	public void beginArray() {
		this.depth++;
		this.targets.forEach((target) -> target.begin(false));
	}

	@Override
	public void end() {
		this.targets.forEach((target) -> target.end(this.depth));
		this.depth--;
	}

	@Override
	public void name(String name) {
		this.targets.forEach((target) -> target.name(name, this.depth));
	}

	@Override
	public void string(Text text) {
		this.targets.forEach((target) -> target.value(text, false));
	}

	@Override
	public void number(long value) {
		this.targets.forEach((target) -> target.integer(value));
	}

	@Override
	public void number(Text decimal) {
		this.targets.forEach((target) -> target.value(decimal, true));
	}

	@Override
	public void literal(boolean value) {
		this.targets.forEach(Target::other);
	}

	@Override
	public void literalNull() {
		this.targets.forEach(Target::other);
	}

	/**
	 * The id, an integer in its digits; {@code null} where the document brings none.
	 * Throws RefusedDocumentException where it can't be one.
	 */
	public @Nullable String id() throws RefusedDocumentException {
		if (this.id == null) {
			return null;
		}
		String text = this.id.isNumber() ? integer(this.id, "an id") : this.id.text;
		if (text == null || text.isEmpty() || text.length() > ID_CHARACTERS) {
			throw refused(this.id,
					"is an id, and so a text of 1 to %d characters or an integer".formatted(ID_CHARACTERS));
		}
		return text;
	}

	/**
	 * The version: the integer, or the milliseconds since 1970 of the date-time;
	 * {@code null} where documents have none. Throws RefusedDocumentException where it
	 * can't be one.
	 */
	public @Nullable Long version() throws RefusedDocumentException {
		if (this.version == null) {
			return null;
		}
		if (this.version.isNumber()) {
			return Long.parseLong(integer(this.version, "a version"));
		}
		Long time = time(this.version);
		if (time == null) {
			throw refused(this.version, "is a version, and so an integer of 64 bits or a date-time");
		}
		return time;
	}

	/**
	 * When the document expires, in milliseconds since 1970; {@code null} where it does
	 * not. Throws RefusedDocumentException where it is no time.
	 */
	public @Nullable Long expiresAt() throws RefusedDocumentException {
		return (this.expires != null) ? time(this.expires) : null;
	}

	/** Throws RefusedDocumentException where one of them can't be what it has to be. */
	public void requireAll() throws RefusedDocumentException {
		id();
		version();
		expiresAt();
	}

	private static @Nullable Long time(Target target) throws RefusedDocumentException {
		try {
			return (target.text != null) ? Versions.millis(target.text) : null;
		}
		catch (DateTimeException ex) {
			throw refused(target, "is no date-time, such as 2026-11-28T12:00:00Z");
		}
	}

	private static String integer(Target target, String what) throws RefusedDocumentException {
		BigDecimal number = new BigDecimal(Objects.requireNonNull(target.text));
		try {
			return Long.toString(number.longValueExact());
		}
		catch (ArithmeticException ex) {
			throw refused(target, "is %s, and so an integer of 64 bits".formatted(what));
		}
	}

	private static RefusedDocumentException refused(Target target, String detail) {
		return new RefusedDocumentException(new Violation(target.pointer, detail));
	}

	/** A field that is looked for. */
	private static final class Target {

		private final String pointer;

		private final String[] path;

		/** Names of the path whose objects are open. */
		private int open;

		/** Whether the next value has the name that is looked for. */
		private boolean isNext;

		private boolean isNumber;

		private @Nullable String text;

		private Target(String pointer) {
			this.pointer = pointer;
			this.path = pointer.substring(1).split("/");
		}

		static @Nullable Target of(@Nullable String pointer) {
			return (pointer != null) ? new Target(pointer) : null;
		}

		void forget() {
			this.open = 0;
			this.isNext = false;
			this.isNumber = false;
			this.text = null;
		}

		boolean isNumber() {
			return this.isNumber;
		}

		/** Takes a name at a depth, where the fields of the document have 1. */
		void name(String name, int depth) {
			this.isNext = depth == this.open + 1 && name.equals(this.path[this.open]);
		}

		void begin(boolean isObject) {
			if (isTaken() && isObject && !isLast()) {
				this.open++;
			}
		}

		/** Takes the end of an object or array at a depth. */
		void end(int depth) {
			if (this.open > 0 && depth == this.open + 1) {
				this.open--;
			}
		}

		void value(Text text, boolean isNumber) {
			if (isTaken() && isLast()) {
				this.text = text.value();
				this.isNumber = isNumber;
			}
		}

		void integer(long value) {
			if (isTaken() && isLast()) {
				this.text = Long.toString(value);
				this.isNumber = true;
			}
		}

		void other() {
			this.isNext = false;
		}

		/** Whether the value that comes now has the name that is looked for. */
		private boolean isTaken() {
			boolean isTaken = this.isNext;
			this.isNext = false;
			return isTaken;
		}

		private boolean isLast() {
			return this.open == this.path.length - 1;
		}

	}

}
