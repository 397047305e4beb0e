package jobs.contract;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.dialect.Dialect;
import com.networknt.schema.dialect.Dialects;
import com.networknt.schema.keyword.AnnotationKeyword;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With schemas that people use, the pair answers as the validator alone does, for their
 * instances and for many spoilt ones.
 * <p>
 * Also with those of sourcemeta-research/jsonschema-benchmark, where
 * {@code -Djsonschema-benchmark} names a folder that holds it; it can't stand here, for
 * it has no licence.
 */
class RealSchemasTests {

	private static final Path SCHEMAS = Path.of("../contract/src/test/resources/real-schemas");

	private static final @Nullable String BENCHMARK = System.getProperty("jsonschema-benchmark");

	private static final String CONTRACT = """
			{"$schema":"https://json-schema.org/draft/2020-12/schema",
			 "type":"object","properties":{"value":{"$ref":"schema.json"}}}
			""";

	/** Schemas of the benchmark with patterns that RE2/J can't compile. */
	private static final Set<String> LOOK_AHEAD = Set.of("cspell", "ui5-manifest");

	private static final int MAX_INSTANCES = 10;

	private static final int MAX_INSTANCE = 30_000;

	private static final int SPOILT = 30;

	private static final JsonMapper JSON = new JsonMapper();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	@SuppressWarnings("NullAway.Init")
	private Contract anything;

	@BeforeEach
	void makeContractOfThePairsOwnRules() throws IOException {
		this.anything = Contract.of(Files.writeString(this.folder.resolve("anything.json"), "{}"),
				ContractSettings.DEFAULTS);
	}

	@ParameterizedTest
	@MethodSource("schemas")
	void answersAsTheValidatorAlone(Path schema) throws IOException {
		Contract wrapped = Contract.of(write(schema), settings(schema));
		Contract plain = Contract.of(this.folder.resolve("schema.json"), settings(schema));
		Schema validator = validator(this.folder.resolve("schema.json"));
		Random random = new Random(37);
		List<String> differences = new ArrayList<>();
		Map<Boolean, Integer> answers = new HashMap<>(Map.of(true, 0, false, 0));
		for (JsonNode instance : instances(schema)) {
			for (int i = 0; i <= SPOILT; i++) {
				JsonNode value = (i == 0) ? instance : Spoiler.spoil(instance, random);
				boolean isValid = validator.validate(value).isEmpty();
				answers.merge(isValid, 1, Integer::sum);
				JsonNode document = JSON.createObjectNode().set("value", value);
				if (differs(wrapped, document, isValid) || (value.isObject() && differs(plain, value, isValid))) {
					differences.add("valid is %s for %s".formatted(isValid, JSON.writeValueAsString(value)));
				}
			}
		}

		assertThat(differences).isEmpty();
		assertThat(answers.values()).allMatch((count) -> count > 0 || !schema.startsWith(SCHEMAS));
	}

	/** Apart from documents that break the pair's own rules, of which there are few. */
	private boolean differs(Contract contract, JsonNode document, boolean isValid) {
		byte[] bytes = JSON.writeValueAsBytes(document);
		return accepts(this.anything, bytes) && accepts(contract, bytes) != isValid;
	}

	private static ContractSettings settings(Path schema) {
		return new ContractSettings(true, LOOK_AHEAD.contains(schema.getFileName().toString()), true);
	}

	static Stream<Path> schemas() throws IOException {
		List<Path> schemas = new ArrayList<>(folders(SCHEMAS));
		schemas.removeIf((schema) -> schema.endsWith("licences"));
		if (BENCHMARK != null) {
			schemas.addAll(folders(Path.of(BENCHMARK, "schemas")));
		}
		return schemas.stream();
	}

	@Test
	void readsTwentySchemas() throws IOException {
		assertThat(schemas().filter((schema) -> schema.startsWith(SCHEMAS))).hasSize(20);
	}

	/** The others have keywords that the walk leaves to the validator. */
	@Test
	void walkDecidesSomeAlone() throws IOException {
		List<String> decided = new ArrayList<>();
		for (Path schema : schemas().filter((each) -> each.startsWith(SCHEMAS)).toList()) {
			if (Contract.of(write(schema), settings(schema)).isDecided()) {
				decided.add(schema.getFileName().toString());
			}
		}

		assertThat(decided).containsExactly("changie", "github-issue-config");
	}

	private Path write(Path schema) throws IOException {
		Path plain = schema.resolve("schema.json");
		try (InputStream file = Files.exists(plain) ? Files.newInputStream(plain)
				: new GZIPInputStream(Files.newInputStream(schema.resolve("schema.json.gz")))) {
			Files.write(this.folder.resolve("schema.json"),
					JSON.writeValueAsBytes(Draft07.to202012(JSON.readTree(file))));
		}
		return Files.writeString(this.folder.resolve("contract.json"), CONTRACT);
	}

	private static List<JsonNode> instances(Path schema) throws IOException {
		Path file = schema.resolve("instances.jsonl");
		if (!Files.exists(file)) {
			return List.of();
		}
		try (Stream<String> lines = Files.lines(file)) {
			return lines.filter((line) -> line.length() < MAX_INSTANCE)
				.limit(MAX_INSTANCES)
				.map((line) -> Spoiler.withNamesOfFields(JSON.readTree(line)))
				.toList();
		}
	}

	private static List<Path> folders(Path parent) throws IOException {
		try (Stream<Path> folders = Files.list(parent)) {
			return folders.filter(Files::isDirectory).sorted().toList();
		}
	}

	/** Matches and knows formats as the pair does, and has neither walk nor bounds. */
	private static Schema validator(Path file) {
		Dialect dialect = Dialect.builder(Dialects.getDraft202012())
			.formats(Formats.forValidator())
			.keywords(List.of(new AnnotationKeyword("id")))
			.build();
		return SchemaRegistry
			.withDialect(dialect,
					(builder) -> builder
						.schemaRegistryConfig(SchemaRegistryConfig.builder()
							.formatAssertionsEnabled(true)
							.regularExpressionFactory(new Patterns(true))
							.build())
						.schemaLoader((loader) -> loader.fetchRemoteResources()
							.allow((place) -> place.toString().startsWith(file.getParent().toUri().toString()))))
			.getSchema(SchemaLocation.of(file.toUri().toString()));
	}

	private static boolean accepts(Contract contract, byte[] document) {
		try {
			contract.check(document);
			return true;
		}
		catch (RefusedDocumentException ex) {
			return false;
		}
	}

}
