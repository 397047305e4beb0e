package jobs.contract.resources;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.util.Objects;

import jobs.contract.Contract.TokenSink;
import jobs.contract.RefusedDocumentException;
import jobs.contract.Violation;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads the {@link KeyFields} of one document while its tokens go by. The contract has
 * the last word: after a document that it refuses, the values are worthless.
 */
public final class KeyReader implements TokenSink {

	/** The most characters of an id. */
	public static final int ID_CHARACTERS = 512;

	private final @Nullable Target id;

	private final @Nullable Target version;

	private final @Nullable Target expires;

	private int depth;

	KeyReader(KeyFields fields) {
		this.id = Target.of(fields.id());
		this.version = Target.of(fields.version());
		this.expires = Target.of(fields.expires());
	}

	@Override
	public void take(JsonToken token, JsonParser json) {
		if (token.isStructStart()) {
			this.depth++;
		}
		take(this.id, token, json);
		take(this.version, token, json);
		take(this.expires, token, json);
		if (token.isStructEnd()) {
			this.depth--;
		}
	}

	private void take(@Nullable Target target, JsonToken token, JsonParser json) {
		if (target != null) {
			target.take(token, json, this.depth);
		}
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

		private @Nullable JsonToken kind;

		private @Nullable String text;

		private Target(String pointer) {
			this.pointer = pointer;
			this.path = pointer.substring(1).split("/");
		}

		static @Nullable Target of(@Nullable String pointer) {
			return (pointer != null) ? new Target(pointer) : null;
		}

		boolean isNumber() {
			return this.kind == JsonToken.VALUE_NUMBER_INT || this.kind == JsonToken.VALUE_NUMBER_FLOAT;
		}

		/** Takes a token at a depth, where the fields of the document have 1. */
		void take(JsonToken token, JsonParser json, int depth) {
			if (token == JsonToken.PROPERTY_NAME) {
				this.isNext = depth == this.open + 1 && json.currentName().equals(this.path[this.open]);
				return;
			}
			if (token == JsonToken.END_OBJECT && this.open > 0 && depth == this.open + 1) {
				this.open--;
			}
			if (this.isNext) {
				this.isNext = false;
				takeValue(token, json);
			}
		}

		private void takeValue(JsonToken token, JsonParser json) {
			if (this.open < this.path.length - 1) {
				this.open += (token == JsonToken.START_OBJECT) ? 1 : 0;
			}
			else if (token == JsonToken.VALUE_STRING || token == JsonToken.VALUE_NUMBER_INT
					|| token == JsonToken.VALUE_NUMBER_FLOAT) {
				this.kind = token;
				this.text = json.getString();
			}
		}

	}

}
