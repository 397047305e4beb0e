package jobs.contract;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import jobs.contract.Contract.TokenSink;
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

	private final TokenSink sink;

	private int depth;

	/**
	 * Prepares a walk; the parser stands before the first token. Text without escapes has
	 * no lone surrogates, so the walk looks for them only with {@code hasEscapes}. All
	 * parts go to {@code events}, too; a field {@code id} may be there with
	 * {@code ownId}.
	 */
	DocumentWalk(JsonParser parser, boolean hasEscapes, JsonEvents events, ContractSettings settings, TokenSink sink) {
		this.parser = parser;
		this.hasEscapes = hasEscapes;
		this.events = events;
		this.text = new TextOfToken(parser);
		this.settings = settings;
		this.sink = sink;
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
			visit(token);
			if (this.violations.isEmpty()) {
				this.sink.take(token, this.parser);
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

	private void visit(JsonToken token) throws RefusedDocumentException {
		switch (token) {
			case START_OBJECT -> {
				enter();
				this.names.push(new HashSet<>());
				this.events.beginObject();
			}
			case START_ARRAY -> {
				enter();
				this.events.beginArray();
			}
			case END_OBJECT -> {
				this.depth--;
				this.names.pop();
				this.events.end();
			}
			case END_ARRAY -> {
				this.depth--;
				this.events.end();
			}
			case PROPERTY_NAME -> name(this.parser.currentName());
			case VALUE_STRING -> {
				require(!this.hasEscapes || isText(this.parser.getString()), "holds a lone surrogate");
				this.events.string(this.text);
			}
			case VALUE_NUMBER_INT -> integer();
			case VALUE_NUMBER_FLOAT -> decimal();
			case VALUE_TRUE, VALUE_FALSE -> this.events.literal(token == JsonToken.VALUE_TRUE);
			case VALUE_NULL -> this.events.literalNull();
			default -> {
			}
		}
	}

	private void integer() {
		if (require(this.parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER, "is an integer beyond 64 bits")) {
			this.events.number(this.parser.getLongValue());
		}
	}

	private void decimal() {
		if (require(Decimals.canBeKept(this.parser.getString()), "is a decimal beyond 34 digits or out of range")) {
			this.events.number(this.text);
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
		this.events.name(name);
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
