package jobs.contract;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import jobs.contract.Contract.TokenSink;
import jobs.contract.NotAJobException.Fault;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamConstraintsException;

/** Walks once over a job's tokens and checks the rules that a JSON Schema can't say. */
final class JobWalk {

	/** The largest number of nested levels; the job itself is the first. */
	static final int MAX_DEPTH = 64;

	private final List<Violation> violations = new ArrayList<>();

	private final Deque<Set<String>> names = new ArrayDeque<>();

	private final JsonParser parser;

	private final boolean hasEscapes;

	private final PlainRules.Check plain;

	private final TokenSink sink;

	private int depth;

	/**
	 * Prepares a walk; the parser stands before the first token. Text without escapes has
	 * no lone surrogates, so the walk looks for them only with {@code hasEscapes}.
	 */
	JobWalk(JsonParser parser, boolean hasEscapes, PlainRules.Check plain, TokenSink sink) {
		this.parser = parser;
		this.hasEscapes = hasEscapes;
		this.plain = plain;
		this.sink = sink;
	}

	/**
	 * Visits all tokens and returns the broken rules, at most
	 * {@value Contract#MAX_VIOLATIONS}. Throws NotAJobException where the text is not one
	 * object or nests too deep.
	 */
	List<Violation> walk() throws NotAJobException {
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
			throw new NotAJobException(Fault.NOT_JSON, "The job must be one JSON object");
		}
		return this.violations;
	}

	/** Reads a token; throws NotAJobException for a name or number beyond bounds. */
	private @Nullable JsonToken next() throws NotAJobException {
		try {
			return this.parser.nextToken();
		}
		catch (StreamConstraintsException ex) {
			StreamReadConstraints bounds = this.parser.streamReadConstraints();
			String pointer = this.parser.streamReadContext().pathAsPointer().toString();
			// Jackson has one exception for both; the pointer is at the field before a
			// name
			throw new NotAJobException(Fault.CONTRACT, ex.getOriginalMessage().startsWith("Name ")
					? "A field name in the job is longer than %d characters".formatted(bounds.getMaxNameLength())
					: "The number at %s is longer than %d characters".formatted(pointer, bounds.getMaxNumberLength()));
		}
	}

	private void visit(JsonToken token) throws NotAJobException {
		if (this.depth == 1 && token != JsonToken.PROPERTY_NAME) {
			this.plain.value(token, this.parser);
		}
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

	private void enter() throws NotAJobException {
		if (++this.depth > MAX_DEPTH) {
			throw new NotAJobException(Fault.CONTRACT, "The job is nested deeper than " + MAX_DEPTH + " levels");
		}
	}

	private void name(String name) {
		require(Objects.requireNonNull(this.names.peek()).add(name), "stands there twice");
		require(!this.hasEscapes || isText(name), "has a lone surrogate in its name");
		require(name.indexOf('\0') < 0, "has a NUL in its name");
		require(!name.startsWith("$"), "has a name that starts with \"$\"");
		require(name.indexOf('.') < 0, "has a name with a \".\" in it");
		if (this.depth == 1) {
			this.plain.name(name);
			require(!name.startsWith("_"), "has a name that starts with \"_\", which is reserved");
			require(!name.equals("id"), "is given by this service, see Idempotency-Key");
		}
	}

	private void require(boolean kept, String detail) {
		if (!kept && this.violations.size() < Contract.MAX_VIOLATIONS) {
			this.violations.add(Violation.of(this.parser.streamReadContext().pathAsPointer().toString(), detail));
		}
	}

	/** Whether each surrogate is half of a pair. */
	private static boolean isText(String value) {
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

}
