package jobs.contract;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import jobs.contract.JsonEvents.Text;
import jobs.contract.RefusedDocumentException.Fault;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamConstraintsException;

/**
 * Walks once over a document's tokens and checks the rules that a JSON Schema can't say.
 */
final class DocumentWalk {

	/** The largest number of nested levels; the document itself is the first. */
	static final int MAX_DEPTH = 64;

	private final List<Violation> violations = new ArrayList<>();

	private final Deque<Set<String>> names = new ArrayDeque<>();

	private final JsonParser parser;

	private final boolean hasEscapes;

	private final JsonEvents events;

	private final Text text;

	private final ContractSettings settings;

	private int depth;

	/**
	 * Prepares a walk; the parser stands before the first token. Text without escapes has
	 * no lone surrogates, so the walk looks for them only with {@code hasEscapes}. All
	 * parts up to the first broken rule go to {@code events}, too.
	 */
	DocumentWalk(JsonParser parser, boolean hasEscapes, JsonEvents events, ContractSettings settings) {
		this.parser = parser;
		this.hasEscapes = hasEscapes;
		this.events = events;
		this.text = new TextOfToken(parser);
		this.settings = settings;
	}

	/**
	 * Visits all tokens and returns the broken rules, at most
	 * {@value Contract#MAX_VIOLATIONS}. Throws RefusedDocumentException where the text is
	 * not one object or nests too deep.
	 */
	List<Violation> walk() throws RefusedDocumentException {
		JsonToken token = next();
		boolean isOneObject = (token == JsonToken.START_OBJECT);
		while (isOneObject && token != null) {
			check(token);
			if (this.violations.isEmpty()) {
				tell(token);
			}
			token = next();
			isOneObject = (this.depth > 0 || token == null);
		}
		if (!isOneObject) {
			throw new RefusedDocumentException(Fault.NOT_JSON,
					"The %s must be one JSON object".formatted(this.settings.noun()));
		}
		return this.violations;
	}

	/**
	 * Reads a token; throws RefusedDocumentException for a name or number beyond bounds.
	 */
	private @Nullable JsonToken next() throws RefusedDocumentException {
		try {
			return this.parser.nextToken();
		}
		catch (StreamConstraintsException ex) {
			StreamReadConstraints bounds = this.parser.streamReadConstraints();
			String pointer = this.parser.streamReadContext().pathAsPointer().toString();
			// Jackson has one exception for both; the pointer is at the field before a
			// name
			throw new RefusedDocumentException(Fault.CONTRACT, ex.getOriginalMessage().startsWith("Name ")
					? "A field name in the %s is longer than %d characters".formatted(this.settings.noun(),
							bounds.getMaxNameLength())
					: "The number at %s is longer than %d characters".formatted(pointer, bounds.getMaxNumberLength()));
		}
	}

	private void check(JsonToken token) throws RefusedDocumentException {
		switch (token) {
			case START_OBJECT -> {
				enter();
				this.names.push(new HashSet<>());
			}
			case START_ARRAY -> enter();
			case END_OBJECT -> {
				this.depth--;
				this.names.pop();
			}
			case END_ARRAY -> this.depth--;
			case PROPERTY_NAME -> name(this.parser.currentName());
			case VALUE_STRING -> require(!this.hasEscapes || isText(this.parser.getString()), "holds a lone surrogate");
			case VALUE_NUMBER_INT -> require(this.parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER,
					"is an integer beyond 64 bits");
			case VALUE_NUMBER_FLOAT ->
				require(Decimals.canBeKept(this.parser.getString()), "is a decimal beyond 34 digits or out of range");
			default -> {
			}
		}
	}

	private void tell(JsonToken token) {
		switch (token) {
			case START_OBJECT -> this.events.beginObject();
			case START_ARRAY -> this.events.beginArray();
			case END_OBJECT -> this.events.endObject();
			case END_ARRAY -> this.events.endArray();
			case PROPERTY_NAME -> this.events.name(this.parser.currentName());
			case VALUE_STRING -> this.events.string(this.text);
			case VALUE_NUMBER_INT -> integer();
			case VALUE_NUMBER_FLOAT -> this.events.number(this.text);
			case VALUE_TRUE, VALUE_FALSE -> this.events.literal(token == JsonToken.VALUE_TRUE);
			case VALUE_NULL -> this.events.literalNull();
			default -> throw new IllegalStateException("Token " + token);
		}
	}

	private void integer() {
		long value = this.parser.getLongValue();
		if (value == 0 && this.text.length() > 1) {
			this.events.number(this.text);
		}
		else {
			this.events.number(value);
		}
	}

	private void enter() throws RefusedDocumentException {
		if (++this.depth > MAX_DEPTH) {
			throw new RefusedDocumentException(Fault.CONTRACT,
					"The %s is nested deeper than %d levels".formatted(this.settings.noun(), MAX_DEPTH));
		}
	}

	private void name(String name) {
		require(Objects.requireNonNull(this.names.peek()).add(name), "stands there twice");
		require(!this.hasEscapes || isText(name), "has a lone surrogate in its name");
		require(name.indexOf('\0') < 0, "has a NUL in its name");
		require(!name.startsWith("$"), "has a name that starts with \"$\"");
		require(name.indexOf('.') < 0, "has a name with a \".\" in it");
		if (this.depth == 1) {
			require(!name.startsWith("_"), "has a name that starts with \"_\", which is reserved");
			require(this.settings.ownId() || !name.equals("id"), "is given by this service, see Idempotency-Key");
		}
	}

	private boolean require(boolean kept, String detail) {
		if (!kept && this.violations.size() < Contract.MAX_VIOLATIONS) {
			this.violations.add(Violation.of(this.parser.streamReadContext().pathAsPointer().toString(), detail));
		}
		return kept;
	}

	/** Whether each surrogate is half of a pair. */
	static boolean isText(String value) {
		for (int i = 0; i < value.length(); i++) {
			if (Character.isSurrogate(value.charAt(i))) {
				if (!Character.isSurrogatePair(value.charAt(i), (i + 1 < value.length()) ? value.charAt(i + 1) : 0)) {
					return false;
				}
				i++;
			}
		}
		return true;
	}

	/** The string or number that the parser stands at. */
	private record TextOfToken(JsonParser parser) implements Text {

		@Override
		public int length() {
			return this.parser.getStringLength();
		}

		@Override
		public String value() {
			return this.parser.getString();
		}

	}

}
