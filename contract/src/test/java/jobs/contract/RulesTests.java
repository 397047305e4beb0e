package jobs.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The walk lets nothing pass that the validator refuses, whatever the schema; and where
 * it decides alone, it refuses nothing that the validator accepts.
 */
class RulesTests {

	private static final ContractSettings OWN_ID = new ContractSettings(true, false, true);

	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.build();

	private static final List<String> NAMES = List.of("a", "b", "ab");

	private static final String[] SCALARS = { "\"\"", "\"a\"", "\"ab\"", "\"abc\"", "\"2026-11-27\"", "\"a@b.c\"",
			"\"\ud83d\ude00\"", "0", "1", "1.0", "2", "-1", "1.5", "0.3", "1e2", "1E+30", "9007199254740993",
			"9223372036854775807", "0.1000000000000000055511151231257827", "-0.0", "true", "false", "null" };

	private static final String[] CONTAINERS = { "[]", "[1]", "[1,\"a\"]", "[1,2,3]", "{}", "{\"a\":1}",
			"{\"b\":\"a\"}", "{\"a\":1,\"b\":null}", "{\"a\":1,\"b\":2,\"ab\":3}" };

	@Property(tries = 400)
	void agreeWithTheValidator(@ForAll("schemas") String schema, @ForAll("documents") List<String> documents)
			throws RefusedDocumentException {
		agree(schema, documents);
	}

	/** Two schemas are merged, and all values tried that stand at their bounds. */
	@Property(tries = 500)
	void agreeOnEveryValue(@ForAll("pairs") String schema) throws RefusedDocumentException {
		agree(schema, Stream.concat(Stream.of(SCALARS), Stream.of(CONTAINERS)).map("{\"a\":%s}"::formatted).toList());
	}

	@Example
	void agreeOnTheTighterOfTwoBounds() throws RefusedDocumentException {
		for (String keyword : List.of("maxProperties", "minProperties", "maxItems", "minItems", "maxLength",
				"minLength", "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum")) {
			for (String bounds : List.of("1 2", "2 1")) {
				agreeOnEveryValue("{\"properties\":{\"a\":{\"allOf\":[{\"%1$s\":%2$s},{\"%1$s\":%3$s}]}}}"
					.formatted(keyword, bounds.charAt(0), bounds.charAt(2)));
			}
		}
	}

	private static void agree(String schema, List<String> documents) throws RefusedDocumentException {
		CompiledContract contract = compile(schema);

		for (String document : documents) {
			boolean isRight = contract.validator().validate(JSON.readTree(document), document.length()).isEmpty();
			boolean isAccepted = accepts(contract.rules(), document);
			assertThat(!isAccepted || isRight).as("the walk accepts %s by %s", document, schema).isTrue();
			assertThat(isAccepted || !isRight || !contract.rules().isDecided())
				.as("the walk refuses %s by %s", document, schema)
				.isTrue();
		}
	}

	@Example
	void leaveNothingToTheValidatorThatItAccepts() throws IOException, RefusedDocumentException {
		for (String schema : List.of("job.schema.json", "src/test/resources/real-job.schema.json")) {
			CompiledContract contract = CompiledContract.of(
					() -> SchemaBundle.read(SchemaFolder.open(Path.of(schema)), new SchemaFolder(null)),
					ContractSettings.DEFAULTS);
			List<String> jobs = new ArrayList<>(Files.readAllLines(Path.of("examples/accepted.ndjson")));
			List<String> postings = Files.readAllLines(Path.of("../end-to-end/src/test/resources/job-postings.ndjson"));
			assertThat(jobs).isNotEmpty();
			assertThat(postings).isNotEmpty();
			jobs.addAll(postings);

			for (String job : jobs) {
				assertThat(accepts(contract.rules(), job)).as("%s by %s", job, schema).isTrue();
			}
		}
	}

	private static CompiledContract compile(String schema) {
		try {
			return CompiledContract.of(
					() -> SchemaBundle.read(SchemaFile.parse("schema", schema), new SchemaFolder(null)),
					ContractSettings.DEFAULTS);
		}
		catch (ContractException ex) {
			// a circle: the one fault that these schemas can have
			assertThat(ex).hasMessageContaining("leads back to itself");
			Assume.that(false);
			throw ex;
		}
	}

	private static boolean accepts(Rules rules, String document) throws RefusedDocumentException {
		RuleWalk walk = rules.start();
		try (JsonParser parser = JSON.createParser(document)) {
			List<Violation> violations = new DocumentWalk(parser, false, walk, OWN_ID).walk();
			assertThat(violations).isEmpty();
		}
		return rules.accept(walk, () -> JSON.readTree(document), document.length());
	}

	@Provide
	Arbitrary<String> schemas() {
		Arbitrary<String> part = schema(2);
		return Combinators.combine(schema(3), part, part)
			.as((root, x, y) -> "{\"$defs\":{\"x\":%s,\"y\":%s},\"allOf\":[%s]}".formatted(x, y, root));
	}

	@Provide
	Arbitrary<String> pairs() {
		Arbitrary<String> few = Arbitraries.frequencyOf(simple().toList())
			.list()
			.ofMinSize(1)
			.ofMaxSize(2)
			.map(RulesTests::join);
		return Combinators.combine(few, few)
			.as("{\"$defs\":{\"x\":{\"maximum\":1},\"y\":{}},\"properties\":{\"a\":{\"allOf\":[%s,%s]}}}"::formatted);
	}

	@Provide
	Arbitrary<List<String>> documents() {
		return object(value(3)).list().ofSize(12);
	}

	private static Arbitrary<String> value(int depth) {
		Arbitrary<String> scalar = Arbitraries.of(SCALARS);
		if (depth == 0) {
			return scalar;
		}
		Arbitrary<String> inner = value(depth - 1);
		return Arbitraries.frequencyOf(Tuple.of(4, scalar), Tuple.of(2, object(inner)), Tuple.of(2, array(inner, 0)));
	}

	private static Arbitrary<String> object(Arbitrary<String> values) {
		return Arbitraries.maps(Arbitraries.of(NAMES), values)
			.ofMaxSize(3)
			.map((fields) -> fields.entrySet()
				.stream()
				.map((field) -> "\"" + field.getKey() + "\":" + field.getValue())
				.collect(Collectors.joining(",", "{", "}")));
	}

	private static Arbitrary<String> array(Arbitrary<String> values, int min) {
		return values.list()
			.ofMinSize(min)
			.ofMaxSize(3)
			.map((all) -> all.stream().collect(Collectors.joining(",", "[", "]")));
	}

	private static Arbitrary<String> schema(int depth) {
		List<Tuple2<Integer, Arbitrary<Tuple2<String, String>>>> keywords = Stream
			.concat(simple(), (depth > 0) ? nested(depth) : Stream.empty())
			.toList();
		Arbitrary<String> object = Arbitraries.frequencyOf(keywords)
			.list()
			.ofMinSize(1)
			.ofMaxSize(4)
			.map(RulesTests::join);
		return Arbitraries.frequencyOf(Tuple.of(20, object), Tuple.of(1, Arbitraries.of("true", "false", "{}")));
	}

	private static String join(List<Tuple2<String, String>> keywords) {
		Map<String, String> unique = new LinkedHashMap<>();
		keywords.forEach((keyword) -> unique.putIfAbsent(keyword.get1(), keyword.get2()));
		return unique.entrySet()
			.stream()
			.map((keyword) -> "\"" + keyword.getKey() + "\":" + keyword.getValue())
			.collect(Collectors.joining(",", "{", "}"));
	}

	private static Stream<Tuple2<Integer, Arbitrary<Tuple2<String, String>>>> simple() {
		String[] types = { "\"object\"", "\"array\"", "\"string\"", "\"integer\"", "\"number\"", "\"null\"",
				"\"boolean\"", "[\"string\",\"integer\"]", "[\"object\",\"array\",\"null\"]",
				"[\"integer\",\"number\",\"string\"]" };
		Arbitrary<String> scalar = Arbitraries.of(SCALARS);
		return Stream.of(keyword(4, "type", types), keyword(1, "minLength", "0", "1", "2.0"),
				keyword(1, "maxLength", "0", "1", "2", "99999999999"), keyword(1, "minItems", "1", "2"),
				keyword(1, "maxItems", "0", "1", "2.0"), keyword(1, "minProperties", "1", "2"),
				keyword(1, "maxProperties", "0", "1", "2"), keyword(1, "minimum", "0", "1", "1.5", "1e30"),
				keyword(1, "maximum", "0.1", "1", "9007199254740992", "1e29"),
				keyword(1, "exclusiveMinimum", "0", "0.1", "1", "9223372036854775806"),
				keyword(1, "exclusiveMaximum", "1", "1.5", "9223372036854775807"),
				keyword(1, "multipleOf", "1", "0.5", "0.1", "3", "2"),
				keyword(1, "pattern", "\"^a\"", "\"b$\"", "\"^(a|b)*$\"", "\"\\\\p{Letter}\""),
				keyword(1, "format", "\"date\"", "\"email\"", "\"nothing\"", "\"regex\""),
				keyword(1, "required", "[\"a\"]", "[\"a\",\"b\"]", "[]"), keyword(1, "uniqueItems", "true", "false"),
				keyword(1, "$ref", "\"#/$defs/x\"", "\"#/$defs/y\"", "\"#\""),
				keyword(1, "dependentRequired", "{\"a\":[\"b\"]}"), keyword(1, "nothing", "1"),
				keyword(1, "const", scalar), keyword(2, "enum", array(scalar, 1)),
				keyword(1, "enum", "[[1],\"a\"]", "[{\"a\":1.0}]"));
	}

	private static Stream<Tuple2<Integer, Arbitrary<Tuple2<String, String>>>> nested(int depth) {
		Arbitrary<String> inner = schema(depth - 1);
		return Stream.of(keyword(6, "properties", object(inner)), keyword(2, "allOf", array(inner, 1)),
				keyword(2, "items", inner), keyword(1, "prefixItems", array(inner, 1)),
				keyword(2, "additionalProperties", inner),
				keyword(1, "patternProperties",
						Combinators.combine(inner, inner).as((one, two) -> "{\"^a\":%s,\"b\":%s}".formatted(one, two))),
				keyword(1, "patternProperties", inner.map("{\"b$\":%s}"::formatted)),
				keyword(1, "propertyNames", inner), keyword(1, "not", inner), keyword(1, "if", inner),
				keyword(1, "then", inner), keyword(1, "contains", inner), keyword(1, "anyOf", array(inner, 1)),
				keyword(1, "oneOf", array(inner, 1)), keyword(1, "unevaluatedProperties", inner));
	}

	private static Tuple2<Integer, Arbitrary<Tuple2<String, String>>> keyword(int weight, String name,
			String... values) {
		return keyword(weight, name, Arbitraries.of(values));
	}

	private static Tuple2<Integer, Arbitrary<Tuple2<String, String>>> keyword(int weight, String name,
			Arbitrary<String> values) {
		return Tuple.of(weight, values.map((value) -> Tuple.of(name, value)));
	}

}
