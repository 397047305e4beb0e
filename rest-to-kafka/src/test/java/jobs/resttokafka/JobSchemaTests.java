package jobs.resttokafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A glance lets nothing pass that the validator refuses, whatever the rules; and with our
 * rules nothing is left to the validator that it accepts.
 */
class JobSchemaTests {

	private static final JsonMapper JSON = new JsonMapper();

	private static final List<String> VALUES = List.of("\"a\"", "\"\"", "\" \"", "7", "null", "true", "{}",
			"{\"title\":7}", "[]", "[\"a\"]");

	@ParameterizedTest
	@MethodSource
	void letsNothingPassThatTheValidatorRefuses(String rules, String job) {
		JobSchema schema = new JobSchema(rules);

		assertThat(glance(schema, job) && !schema.validate(JSON.readTree(job)).isEmpty()).isFalse();
	}

	static Stream<Arguments> letsNothingPassThatTheValidatorRefuses() {
		return rules().flatMap((rules) -> jobs().map((job) -> Arguments.of(rules, job)));
	}

	private static Stream<String> rules() {
		return Stream
			.of("true", "{}", "{'type':'array'}", "{'type':'object','required':['b']}",
					"{'type':'object','required':['title'],'properties':{'title':{'type':'string','pattern':'^a$'}}}",
					"{'type':'object','required':['title'],'additionalProperties':false}",
					"{'type':'object','properties':{'title':{'type':['string','null']}}}",
					"{'type':'object','properties':{'title':{'type':'integer'}}}",
					"{'type':'object','properties':{'title':{'type':'string','minLength':1}}}",
					"{'type':'object','properties':{'title':{'pattern':'a'}}}",
					"{'type':'object','properties':{'b':false}}", "{'type':'object','minProperties':2}",
					"{'type':'object','properties':{'title':{'type':'object'}}}",
					"{'type':'object','allOf':[{'required':['b']}]}")
			.map((rules) -> rules.replace('\'', '"'));
	}

	private static Stream<String> jobs() {
		return Stream.concat(Stream.of("{}"),
				VALUES.stream()
					.flatMap((title) -> VALUES.stream()
						.flatMap((b) -> Stream.of("{\"title\":%s}".formatted(title),
								"{\"title\":%s,\"b\":%s}".formatted(title, b),
								"{\"b\":%s,\"title\":%s}".formatted(b, title)))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "../contract/examples/accepted.ndjson",
			"../end-to-end/src/test/resources/job-postings.ndjson" })
	void leavesNothingToTheValidatorThatItAccepts(Path file) throws IOException {
		JobSchema schema = new JobSchema(Files.readString(Path.of("../contract/job.schema.json")));

		assertThat(Files.readAllLines(file)).isNotEmpty().allMatch((job) -> glance(schema, job));
	}

	/**
	 * Reads a job as {@link Contract} does.
	 */
	private static boolean glance(JobSchema schema, String job) {
		JobSchema.Glance glance = schema.glance();
		int depth = 0;
		try (JsonParser parser = JSON.createParser(job)) {
			for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
				if (depth == 1 && token == JsonToken.PROPERTY_NAME) {
					glance.name(parser.currentName());
				}
				else if (depth == 1) {
					glance.value(token, parser);
				}
				depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
			}
		}
		return glance.isEnough();
	}

}
