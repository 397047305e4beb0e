package jobs.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jobs.contract.RefusedDocumentException.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The official suite of draft 2020-12 through the pair's own path: each schema as a file
 * beside the contract, each instance as the field {@code value}.
 */
class JsonSchemaTestSuiteTests {

	private static final Path SUITE = Path.of("../contract/src/test/resources/json-schema-test-suite");

	private static final String CONTRACT = """
			{"$schema":"https://json-schema.org/draft/2020-12/schema",
			 "type":"object","properties":{"value":{"$ref":"case.json"}}}
			""";

	/** Keeps each number and each lone surrogate as the suite writes it. */
	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
		.disable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
		.enable(JsonWriteFeature.ESCAPE_NON_ASCII)
		.build();

	private static final String STARTS_WITH = "has a name that starts with \"$\"";

	private static final String NO_FILE = "there is no file";

	private static final String REMOTE = "http://localhost:1234/";

	/** Where the pair's answer is not the suite's, and why it shall not be. */
	private static final List<Difference> DIFFERENCES = List.of(
			// MongoDB reads such names as operators, so no document may have them
			new Difference("defs.json", "validate definition against metaschema", "valid definition schema",
					STARTS_WITH),
			new Difference("ref.json", "naive replacement of $ref with its destination is not correct",
					"match the enum exactly", STARTS_WITH),
			new Difference("ref.json", "property named $ref that is not a reference", "property named $ref valid",
					STARTS_WITH),
			new Difference("ref.json", "property named $ref, containing an actual $ref", "property named $ref valid",
					STARTS_WITH),
			// files that the suite serves over HTTP; a contract's stand in its folder
			new Difference("dynamicRef.json", "strict-tree schema, guards against misspelled properties", "*", NO_FILE),
			new Difference("dynamicRef.json", "tests for implementation dynamic anchor and reference link", "*",
					NO_FILE),
			new Difference("dynamicRef.json", "$ref and $dynamicAnchor are independent of order - $defs first", "*",
					NO_FILE),
			new Difference("dynamicRef.json", "$ref and $dynamicAnchor are independent of order - $ref first", "*",
					NO_FILE),
			new Difference("dynamicRef.json", "$ref to $dynamicRef finds detached $dynamicAnchor", "*", REMOTE),
			// a contract's $schema is that of draft 2020-12
			new Difference("vocabulary.json", "schema that uses custom metaschema with with no validation vocabulary",
					"*", REMOTE),
			new Difference("vocabulary.json", "ignore unrecognized optional vocabulary", "*", REMOTE));

	@TempDir
	@Nullable Path folder;

	@ParameterizedTest
	@MethodSource("files")
	void answersAsTheSuite(String file) throws IOException {
		List<Difference> found = new ArrayList<>();
		for (JsonNode group : JSON.readTree(SUITE.resolve(file).toFile())) {
			found.addAll(differences(file, group));
		}

		assertThat(found).filteredOn((difference) -> DIFFERENCES.stream().noneMatch(difference::isAsExpected))
			.isEmpty();
		assertThat(DIFFERENCES).filteredOn((expected) -> expected.file.equals(file))
			.allMatch((expected) -> found.stream().anyMatch((difference) -> difference.isAsExpected(expected)));
	}

	static List<String> files() throws IOException {
		try (Stream<Path> files = Files.walk(SUITE)) {
			return files.map((file) -> SUITE.relativize(file).toString())
				.filter((file) -> file.endsWith(".json"))
				.sorted()
				.toList();
		}
	}

	@Test
	void namesDifferencesOfFilesThatAreThere() throws IOException {
		assertThat(files()).hasSize(66).containsAll(DIFFERENCES.stream().map(Difference::file).toList());
	}

	private List<Difference> differences(String file, JsonNode group) {
		String name = group.path("description").asString();
		Contract contract;
		try {
			contract = Contract.of(write(group.path("schema")), settings(file));
		}
		catch (RuntimeException | StackOverflowError ex) {
			return List.of(new Difference(file, name, "*", ex.toString()));
		}
		List<Difference> differences = new ArrayList<>();
		for (JsonNode test : group.path("tests")) {
			String answer = answer(contract, test.path("data"));
			if (answer.isEmpty() != test.path("valid").asBoolean() || answer.startsWith("!")) {
				differences.add(new Difference(file, name, test.path("description").asString(),
						answer.isEmpty() ? "accepted" : answer));
			}
		}
		return differences;
	}

	/** Formats are annotations in the file that says so, and asserted everywhere else. */
	private static ContractSettings settings(String file) {
		return new ContractSettings(!file.equals("format.json"), ContractSettings.DEFAULTS.backtrackingPatterns(),
				ContractSettings.DEFAULTS.ownId());
	}

	private Path write(JsonNode schema) {
		try {
			Path folder = Files.createTempDirectory(this.folder, "case");
			Files.write(folder.resolve("case.json"), JSON.writeValueAsBytes(schema));
			return Files.writeString(folder.resolve("contract.json"), CONTRACT);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Nothing for an accepted instance, else the refusal's words. */
	private static String answer(Contract contract, JsonNode instance) {
		try {
			contract.check(JSON.writeValueAsBytes(JSON.createObjectNode().set("value", instance)));
			return "";
		}
		catch (RefusedDocumentException ex) {
			return ((ex.fault() == Fault.CONTRACT) ? "" : "!") + ex.detail() + ": "
					+ ex.violations().stream().map(Violation::toString).collect(Collectors.joining(", "));
		}
		catch (RuntimeException | StackOverflowError ex) {
			return "!" + ex;
		}
	}

	/**
	 * One answer that is not the suite's: its file, case and instance ({@code *} for the
	 * schema itself), and words of the pair's answer that show the reason.
	 */
	private record Difference(String file, String group, String test, String words) {

		boolean isAsExpected(Difference expected) {
			return this.file.equals(expected.file) && this.group.equals(expected.group)
					&& this.test.equals(expected.test) && this.words.contains(expected.words);
		}

	}

}
