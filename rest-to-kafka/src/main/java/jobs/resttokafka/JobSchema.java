package jobs.resttokafka;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.regex.JDKRegularExpressionFactory;
import com.networknt.schema.regex.RegularExpression;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;

/**
 * The rules of {@code job.schema.json}.
 * <p>
 * The validator knows all of JSON Schema and gives reasons, at many times the cost of
 * reading a job. So a {@link Glance} at the tokens, which somebody reads anyway, lets
 * those pass that fulfil plain rules: required fields, strings, patterns. What it does
 * not let pass, and all where the file says more than that, is the validator's.
 */
final class JobSchema {

	private static final Set<String> PLAIN_RULES = Set.of("$schema", "$id", "$comment", "title", "description", "type",
			"required", "properties");

	private static final Set<String> PLAIN_RULES_OF_A_FIELD = Set.of("$comment", "title", "description", "type",
			"pattern", "x-detail");

	/** Of the rules that a job breaks, so many are named. */
	static final int MAX_BROKEN = 100;

	private static final int MAX_POINTER = 200;

	private static final int MAX_DETAIL = 500;

	private final Schema validator;

	private final boolean plain;

	private final Set<String> required;

	private final Map<String, Field> fields;

	/**
	 * Compiles the rules.
	 * @param rules a JSON Schema (2020-12)
	 */
	JobSchema(String rules) {
		SchemaRegistryConfig english = SchemaRegistryConfig.builder().locale(Locale.ENGLISH).build();
		this.validator = SchemaRegistry
			.withDefaultDialect(SpecificationVersion.DRAFT_2020_12, (builder) -> builder.schemaRegistryConfig(english))
			.getSchema(rules, InputFormat.JSON);
		JsonNode root = this.validator.getSchemaNode();
		this.plain = isPlain(root, PLAIN_RULES, "object")
				&& root.path("properties").valueStream().allMatch(JobSchema::isPlainField);
		this.required = root.path("required").valueStream().map(JsonNode::asString).collect(Collectors.toSet());
		this.fields = this.plain
				? root.path("properties")
					.propertyStream()
					.collect(Collectors.toMap(Map.Entry::getKey, (property) -> Field.of(property.getValue())))
				: Map.of();
	}

	private static boolean isPlain(JsonNode rules, Set<String> known, String type) {
		return rules.isObject() && rules.propertyStream().map(Map.Entry::getKey).allMatch(known::contains)
				&& rules.path("type").asString("").equals(type);
	}

	private static boolean isPlainField(JsonNode rules) {
		return isPlain(rules, PLAIN_RULES_OF_A_FIELD, "string");
	}

	Glance glance() {
		return new Glance();
	}

	/**
	 * Names the rules that a job breaks.
	 * @param job the job
	 * @return the broken rules, the first {@value #MAX_BROKEN}, in the words of their
	 * {@code x-detail} where they have it
	 */
	List<BrokenRule> validate(JsonNode job) {
		return this.validator.validate(job).stream().limit(MAX_BROKEN).map(this::inWords).toList();
	}

	private BrokenRule inWords(Error error) {
		String pointer = error.getInstanceLocation().toString();
		String property = error.getProperty();
		String words = this.validator.getSchemaNode()
			.at(error.getSchemaLocation().getFragment().getParent().toString())
			.path("x-detail")
			.path(error.getKeyword())
			.asString(error.getMessage());
		return new BrokenRule(bounded((property != null) ? pointer + "/" + escape(property) : pointer),
				shortened(words));
	}

	private static String shortened(String words) {
		boolean cutsPair = words.length() > MAX_DETAIL && Character.isHighSurrogate(words.charAt(MAX_DETAIL - 1));
		return words.substring(0, Math.min(words.length(), cutsPair ? MAX_DETAIL - 1 : MAX_DETAIL));
	}

	/**
	 * A pointer to the field, or to the nearest around it of which the pointer is short:
	 * names may be as long as the job, and there is a pointer in every broken rule.
	 */
	static String bounded(String pointer) {
		return (pointer.length() <= MAX_POINTER) ? pointer
				: pointer.substring(0, pointer.lastIndexOf('/', MAX_POINTER));
	}

	private static String escape(String name) {
		return name.replace("~", "~0").replace("/", "~1");
	}

	/**
	 * A rule that a job breaks.
	 *
	 * @param pointer the JSON Pointer of the field
	 * @param detail what is wrong with it
	 */
	record BrokenRule(String pointer, String detail) {
	}

	/**
	 * What is looked at of one job while it is read: the names and values of its own
	 * fields, and not of those within.
	 */
	final class Glance {

		private @Nullable Field field;

		private int required;

		private boolean passes = JobSchema.this.plain;

		void name(String name) {
			this.field = JobSchema.this.fields.get(name);
			if (JobSchema.this.required.contains(name)) {
				this.required++;
			}
		}

		/**
		 * Looks at the token after a name.
		 */
		void value(JsonToken token, JsonParser parser) {
			Field field = this.field;
			this.field = null;
			if (field != null && this.passes) {
				this.passes = (token == JsonToken.VALUE_STRING) && field.takes(parser.getString());
			}
		}

		/**
		 * Whether the job, of which no name stood there twice, fulfils all rules for
		 * sure.
		 */
		boolean isEnough() {
			return this.passes && this.required == JobSchema.this.required.size();
		}

	}

	/**
	 * A field that is a string.
	 *
	 * @param pattern what the string must hold, if there is a rule for it
	 */
	private record Field(@Nullable RegularExpression pattern) {

		static Field of(JsonNode rules) {
			String pattern = rules.path("pattern").asString(null);
			return new Field(
					(pattern != null) ? JDKRegularExpressionFactory.getInstance().getRegularExpression(pattern) : null);
		}

		boolean takes(String value) {
			return this.pattern == null || this.pattern.matches(value);
		}

	}

}
