package jobs.contract;

import java.util.List;
import java.util.Locale;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import tools.jackson.databind.JsonNode;

/**
 * The rules of {@code job.schema.json}: a validator of JSON Schema checks all of them,
 * {@link PlainRules} the simple ones.
 */
final class JobSchema {

	/** The largest length of a violation's detail, in characters. */
	private static final int MAX_DETAIL = 500;

	private final Schema validator;

	private final PlainRules plain;

	/** Compiles the rules, a JSON Schema (2020-12). */
	JobSchema(String rules) {
		SchemaRegistryConfig english = SchemaRegistryConfig.builder().locale(Locale.ENGLISH).build();
		this.validator = SchemaRegistry
			.withDefaultDialect(SpecificationVersion.DRAFT_2020_12, (builder) -> builder.schemaRegistryConfig(english))
			.getSchema(rules, InputFormat.JSON);
		this.plain = new PlainRules(this.validator.getSchemaNode());
	}

	PlainRules.Check startCheck() {
		return this.plain.start();
	}

	/**
	 * Names the first {@value Contract#MAX_VIOLATIONS} rules that a job breaks, in the
	 * words of the schema's {@code x-detail} where it has them.
	 */
	List<Violation> validate(JsonNode job) {
		return this.validator.validate(job).stream().limit(Contract.MAX_VIOLATIONS).map(this::inWords).toList();
	}

	private Violation inWords(Error error) {
		String pointer = error.getInstanceLocation().toString();
		String property = error.getProperty();
		String words = this.validator.getSchemaNode()
			.at(error.getSchemaLocation().getFragment().getParent().toString())
			.path("x-detail")
			.path(error.getKeyword())
			.asString(error.getMessage());
		return Violation.of((property != null) ? pointer + "/" + escape(property) : pointer, shortened(words));
	}

	private static String shortened(String words) {
		boolean cutsPair = words.length() > MAX_DETAIL && Character.isHighSurrogate(words.charAt(MAX_DETAIL - 1));
		return words.substring(0, Math.min(words.length(), cutsPair ? MAX_DETAIL - 1 : MAX_DETAIL));
	}

	private static String escape(String name) {
		return name.replace("~", "~0").replace("/", "~1");
	}

}
