package jobs.contract;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

import com.networknt.schema.Error;
import com.networknt.schema.ExecutionConfig;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.FailFastAssertionException;
import com.networknt.schema.OutputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.ValidationLimitExceededException;
import com.networknt.schema.ValidationLimitExceededException.LimitKind;
import com.networknt.schema.dialect.Dialect;
import com.networknt.schema.dialect.Dialects;
import com.networknt.schema.keyword.AnnotationKeyword;
import com.networknt.schema.keyword.Keyword;
import tools.jackson.databind.JsonNode;

/**
 * All rules of a contract, checked by a validator of JSON Schema, which also has the
 * words for broken ones.
 * <p>
 * A check is bounded: some contracts take exponential time, and documents are not to be
 * trusted. A check that goes beyond a bound refuses the document.
 */
final class SchemaValidator {

	/** How many schemas may apply inside each other; each takes room on the stack. */
	static final int MAX_NESTING = 400;

	/** How many keywords a document of no length may take. */
	private static final int FREE_STEPS = 100_000;

	private static final int STEPS_PER_CHARACTER = 16;

	/** The largest length of a violation's detail, in characters. */
	private static final int MAX_DETAIL = 500;

	private static final Dialect DIALECT = dialect();

	private final SchemaIndex index;

	private final Schema schema;

	private final boolean assertFormats;

	/** Compiles a contract in which no reference leads out. */
	SchemaValidator(JsonNode tree, SchemaIndex index, Patterns patterns, boolean assertFormats) {
		this.index = index;
		this.assertFormats = assertFormats;
		SchemaRegistryConfig config = SchemaRegistryConfig.builder()
			.locale(Locale.ENGLISH)
			.regularExpressionFactory(patterns)
			.formatAssertionsEnabled(assertFormats)
			.build();
		SchemaRegistry registry = SchemaRegistry.withDialect(DIALECT,
				(builder) -> builder.schemaRegistryConfig(config)
					.schemaLoader((loader) -> loader.allow((address) -> address.toString()
						.startsWith(Keywords.DIALECT.substring(0, Keywords.DIALECT.lastIndexOf('/'))))));
		try {
			this.schema = registry.getSchema(tree);
			this.schema.initializeValidators();
		}
		catch (SchemaException | IllegalArgumentException ex) {
			throw new ContractException("The contract is not understood: " + ex.getMessage(), ex);
		}
	}

	/** Only what 2020-12 says: the validator also knows keywords of others. */
	private static Dialect dialect() {
		Set<String> known = Keywords.meaningful();
		Stream<Keyword> others = Dialects.getDraft202012()
			.getKeywords()
			.keySet()
			.stream()
			.filter((name) -> !known.contains(name) && !Set.of("true", "false", "definitions").contains(name))
			.map(AnnotationKeyword::new);
		return Dialect.builder(Dialects.getDraft202012())
			.formats(Formats.forValidator())
			.keywords(Stream.concat(others, Stream.of(new UniqueItems(), new Constant())).toList())
			.unknownKeywordFactory((name, context) -> new AnnotationKeyword(name))
			.build();
	}

	/**
	 * Names the first {@value Contract#MAX_VIOLATIONS} rules that a document breaks, in
	 * the words of the schema's {@code x-detail} where it has them.
	 */
	List<Violation> validate(JsonNode document, int length) {
		try {
			return Check.of(this.schema, document, length, Contract.MAX_VIOLATIONS, this.assertFormats)
				.stream()
				.map(this::inWords)
				.toList();
		}
		catch (ValidationLimitExceededException ex) {
			return List.of(Violation.of(ex.getInstanceLocation().toString(),
					(ex.getLimitKind() == LimitKind.EVALUATION_DEPTH)
							? "is where more than %d schemas apply inside each other".formatted(MAX_NESTING)
							: "takes more steps to check than a document of this length may"));
		}
	}

	/** Tells which values keep the rules of some schemas of the contract. */
	BiPredicate<JsonNode, Integer> parts(List<Subschema> rules) {
		List<Schema> parts = rules.stream()
			.map((part) -> this.schema.getSubSchema(SchemaLocation.Fragment.of("#" + part.pointer())))
			.toList();
		return (value, length) -> parts.stream().allMatch((part) -> accepts(part, value, length));
	}

	private boolean accepts(Schema rules, JsonNode value, int length) {
		try {
			return Check.of(rules, value, length, 1, this.assertFormats).isEmpty();
		}
		catch (ValidationLimitExceededException ex) {
			return false;
		}
	}

	private Violation inWords(Error error) {
		String pointer = error.getInstanceLocation().toString();
		String property = error.getProperty();
		SchemaLocation location = error.getSchemaLocation();
		Subschema root = this.index.root();
		Subschema resource = (location.getAbsoluteIri() != null)
				? this.index.resource(this.index.resolve(root, "", location.getAbsoluteIri().toString())) : root;
		String words = ((resource != null) ? resource : root).node()
			.at(location.getFragment().getParent().toString())
			.path("x-detail")
			.path(error.getKeyword())
			.asString(error.getMessage());
		return Violation.of((property != null) ? pointer + "/" + Subschema.escape(property) : pointer,
				shortened(words));
	}

	private static String shortened(String words) {
		boolean cutsPair = words.length() > MAX_DETAIL && Character.isHighSurrogate(words.charAt(MAX_DETAIL - 1));
		return words.substring(0, Math.min(words.length(), cutsPair ? MAX_DETAIL - 1 : MAX_DETAIL));
	}

	/** One check, which ends when it has found enough. */
	private static final class Check extends ExecutionContext {

		private final List<Error> errors = new ArrayList<>();

		private final int max;

		private Check(ExecutionConfig config, int max) {
			super(config);
			this.max = max;
			setErrors(this.errors);
		}

		static List<Error> of(Schema schema, JsonNode value, int length, int max, boolean assertFormats) {
			Check check = new Check(ExecutionConfig.builder()
				.locale(Locale.ENGLISH)
				.formatAssertionsEnabled(assertFormats)
				.maxEvaluationDepth(MAX_NESTING)
				.maxEvaluationSteps(FREE_STEPS + (long) STEPS_PER_CHARACTER * length)
				.build(), max);
			schema.validate(check, value, OutputFormat.DEFAULT);
			return check.errors.stream().limit(max).toList();
		}

		/**
		 * The validator also collects errors to try one schema, asks if there are any,
		 * and may add all of them to those around it.
		 */
		@Override
		public void setErrors(List<Error> errors) {
			super.setErrors((errors instanceof Bounded) ? errors : new Bounded(errors));
		}

		/** Keeps the first errors only, and ends the check when they are enough. */
		private final class Bounded extends AbstractList<Error> {

			private final List<Error> kept;

			Bounded(List<Error> kept) {
				this.kept = kept;
			}

			@Override
			public Error get(int index) {
				return this.kept.get(index);
			}

			@Override
			public int size() {
				return this.kept.size();
			}

			@Override
			public boolean add(Error error) {
				if (size() < Check.this.max) {
					this.kept.add(error);
				}
				if (this.kept == Check.this.errors && size() >= Check.this.max) {
					// the validator knows this one, and logs others
					throw new FailFastAssertionException(error);
				}
				return true;
			}

		}

	}

}
