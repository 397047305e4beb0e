package jobs.contract;

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
 * The plain rules let nothing pass that the validator refuses, whatever the schema; and
 * with our schema nothing is left to the validator that it accepts.
 */
class PlainRulesTests {

	private static final JsonMapper JSON = new JsonMapper();

	private static final List<String> VALUES = List.of("\"a\"", "\"\"", "\" \"", "7", "null", "true", "{}",
			"{\"title\":7}", "[]", "[\"a\"]");

	@ParameterizedTest
	@MethodSource
	void letsNothingPassThatTheValidatorRefuses(String rules, String job) {
		JobSchema schema = new JobSchema(rules);

		assertThat(check(schema, job) && !schema.validate(JSON.readTree(job)).isEmpty()).isFalse();
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

		assertThat(Files.readAllLines(file)).isNotEmpty().allMatch((job) -> check(schema, job));
	}

	/**
	 * Reads a job as {@link JobWalk} does.
	 */
	private static boolean check(JobSchema schema, String job) {
		PlainRules.Check check = schema.startCheck();
		int depth = 0;
		try (JsonParser parser = JSON.createParser(job)) {
			for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
				if (depth == 1 && token == JsonToken.PROPERTY_NAME) {
					check.name(parser.currentName());
				}
				else if (depth == 1) {
					check.value(token, parser);
				}
				depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
			}
		}
		return check.hasPassed();
	}

}
