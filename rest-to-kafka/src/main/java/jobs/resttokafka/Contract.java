package jobs.resttokafka;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import jobs.resttokafka.Problem.Violation;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Decides whether posted bytes are a job that can be kept to the last digit: JSON (RFC
 * 8259, UTF-8) that means one thing, that MongoDB can hold unchanged, and that fits
 * {@code job.schema.json}.
 */
class Contract {

	static final int MAX_DEPTH = 64;

	/** What a decoder puts in the place of bytes that are not valid. */
	private static final char REPLACEMENT = '\uFFFD';

	/**
	 * Without its table of names, which refuses a job for the names of the jobs before
	 * it.
	 */
	private final JsonMapper json = JsonMapper
		.builder(JsonFactory.builder().disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES).build())
		.build();

	private final JobSchema schema = load();

	private static JobSchema load() {
		try (InputStream file = Contract.class.getResourceAsStream("/job.schema.json")) {
			return new JobSchema(new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Lets a job pass or refuses it.
	 * @param job the posted bytes
	 * @throws RefusedException (400) with every broken rule, at most 100
	 */
	void check(byte[] job) {
		String text = decode(job);
		List<Violation> violations;
		try {
			Walk walk = new Walk(text);
			violations = walk.violations();
			if (violations.isEmpty() && !walk.fitsSchema()) {
				violations = this.schema.validate(this.json.readTree(text))
					.stream()
					.map((rule) -> new Violation(rule.pointer(), rule.detail()))
					.toList();
			}
		}
		catch (StreamConstraintsException ex) {
			throw new RefusedException(400, "A field name or a number in the job is too long");
		}
		catch (JacksonException ex) {
			throw new RefusedException(400, "The job is not valid JSON, see line %d, column %d"
				.formatted(ex.getLocation().getLineNr(), ex.getLocation().getColumnNr()));
		}
		if (!violations.isEmpty()) {
			throw RefusedException.broken("The job breaks the rules of its contract",
					violations.subList(0, Math.min(violations.size(), JobSchema.MAX_BROKEN)));
		}
	}

	private static String decode(byte[] job) {
		String text = new String(job, StandardCharsets.UTF_8);
		if (text.indexOf(REPLACEMENT) >= 0) {
			requireUtf8(job);
		}
		return text;
	}

	private static void requireUtf8(byte[] job) {
		try {
			StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(job));
		}
		catch (CharacterCodingException ex) {
			throw new RefusedException(400, "The job is not valid UTF-8");
		}
	}

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

	/**
	 * Whether MongoDB holds this number exactly: as a double or as a Decimal128.
	 */
	private static boolean canBeKept(String number) {
		BigDecimal decimal = parse(number);
		return decimal != null && decimal.precision() <= 34 && (isDouble(decimal) || isDecimal128(decimal));
	}

	/**
	 * Whether a number of up to 34 digits is within the range of Decimal128: from 1E-6176
	 * to 9.99...E+6144.
	 */
	private static boolean isDecimal128(BigDecimal decimal) {
		long magnitude = decimal.precision() - 1L - decimal.scale();
		return magnitude >= -6176 && magnitude <= 6144 && decimal.stripTrailingZeros().scale() <= 6176;
	}

	private static boolean isDouble(BigDecimal decimal) {
		double value = decimal.doubleValue();
		return Double.isFinite(value) && BigDecimal.valueOf(value).compareTo(decimal) == 0;
	}

	private static @Nullable BigDecimal parse(String number) {
		try {
			return new BigDecimal(number);
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

	/**
	 * One pass over the tokens for what the schema can't say.
	 */
	private final class Walk {

		private final List<Violation> violations = new ArrayList<>();

		private final Deque<Set<String>> names = new ArrayDeque<>();

		private final JsonParser parser;

		private final JobSchema.Glance glance = Contract.this.schema.glance();

		/** Text that is valid has lone surrogates only where they are escaped. */
		private final boolean escapes;

		private int depth;

		Walk(String text) {
			this.parser = Contract.this.json.createParser(text);
			this.escapes = text.contains("\\u");
		}

		boolean fitsSchema() {
			return this.glance.isEnough();
		}

		List<Violation> violations() {
			try (this.parser) {
				JsonToken token = this.parser.nextToken();
				boolean one = (token == JsonToken.START_OBJECT);
				while (one && token != null) {
					visit(token);
					token = this.parser.nextToken();
					one = (this.depth > 0 || token == null);
				}
				if (!one) {
					throw new RefusedException(400, "The job must be one JSON object");
				}
			}
			return this.violations;
		}

		private void visit(JsonToken token) {
			if (this.depth == 1 && token != JsonToken.PROPERTY_NAME) {
				this.glance.value(token, this.parser);
			}
			switch (token) {
				case START_OBJECT, START_ARRAY -> enter(token);
				case END_OBJECT -> {
					this.depth--;
					this.names.pop();
				}
				case END_ARRAY -> this.depth--;
				case PROPERTY_NAME -> name(this.parser.currentName());
				case VALUE_STRING -> string(this.parser.getString());
				case VALUE_NUMBER_INT -> require(this.parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER,
						"is an integer beyond 64 bits");
				case VALUE_NUMBER_FLOAT ->
					require(canBeKept(this.parser.getString()), "is a decimal beyond 34 digits or out of range");
				default -> {
				}
			}
		}

		private void enter(JsonToken token) {
			if (++this.depth > MAX_DEPTH) {
				throw RefusedException.broken("The job is nested deeper than " + MAX_DEPTH + " levels", List.of());
			}
			if (token == JsonToken.START_OBJECT) {
				this.names.push(new HashSet<>());
			}
		}

		private void name(String name) {
			require(Objects.requireNonNull(this.names.peek()).add(name), "stands there twice");
			require(!this.escapes || isText(name), "has a lone surrogate in its name");
			require(name.indexOf('\0') < 0, "has a NUL in its name");
			require(!name.startsWith("$"), "has a name that starts with \"$\"");
			require(name.indexOf('.') < 0, "has a name with a \".\" in it");
			if (this.depth == 1) {
				require(!name.startsWith("_"), "has a name that starts with \"_\", which is reserved");
				this.glance.name(name);
				require(!name.equals("id"), "is given by this service, see Idempotency-Key");
			}
		}

		private void string(String value) {
			require(!this.escapes || isText(value), "holds a lone surrogate");
		}

		private void require(boolean kept, String detail) {
			if (!kept && this.violations.size() < JobSchema.MAX_BROKEN) {
				String pointer = this.parser.streamReadContext().pathAsPointer().toString();
				this.violations.add(new Violation(JobSchema.bounded(pointer), detail));
			}
		}

	}

}
