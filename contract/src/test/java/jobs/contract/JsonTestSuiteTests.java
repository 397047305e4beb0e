package jobs.contract;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import jobs.contract.RefusedDocumentException.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * JSONTestSuite through the pair's own path: each file as the field {@code value} of a
 * document, and as a document by itself.
 */
class JsonTestSuiteTests {

	private static final Path SUITE = Path.of("../contract/src/test/resources/json-test-suite");

	private static final Contract CONTRACT = new Contract("""
			{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}
			""");

	/** JSON that MongoDB could not keep as it is, or too deep to be read to its end. */
	private static final Map<String, String> REFUSED = Map.of("y_object_duplicated_key.json", "stands there twice",
			"y_object_duplicated_key_and_value.json", "stands there twice", "y_object_escaped_null_in_key.json",
			"has a NUL in its name", "n_structure_100000_opening_arrays.json", "nested deeper than",
			"n_structure_open_array_object.json", "nested deeper than");

	private static final String WITH_AN_ID = "y_object_long_strings.json";

	/** What a parser may take or refuse, and the pair takes. */
	private static final List<String> TAKEN = List.of("i_number_double_huge_neg_exp.json");

	static List<String> files() throws IOException {
		try (Stream<Path> files = Files.list(SUITE)) {
			return files.map((file) -> file.getFileName().toString())
				.filter((file) -> file.endsWith(".json"))
				.sorted()
				.toList();
		}
	}

	@Test
	void namesFilesThatAreThere() throws IOException {
		assertThat(files()).hasSize(318).containsAll(REFUSED.keySet()).containsAll(TAKEN).contains(WITH_AN_ID);
	}

	@ParameterizedTest
	@MethodSource("files")
	void answersAsTheSuite(String file) throws IOException {
		RefusedDocumentException refusal = refusal(document(file));

		if (TAKEN.contains(file) || (file.startsWith("y_") && !REFUSED.containsKey(file))) {
			assertThat(refusal).isNull();
		}
		else {
			assertThat(refusal).isNotNull();
			assertThat(refusal.violations() + refusal.detail()).contains(REFUSED.getOrDefault(file, ""));
			if (file.startsWith("n_") && !REFUSED.containsKey(file)) {
				assertThat(refusal.fault()).isEqualTo(Fault.NOT_JSON);
			}
		}
	}

	/** Each file as it is: a document is an object, whose id the pair gives. */
	@ParameterizedTest
	@MethodSource("files")
	void answersAsTheSuiteWhereAFileIsTheDocument(String file) throws IOException {
		RefusedDocumentException refusal = refusal(Files.readAllBytes(SUITE.resolve(file)));

		if (file.startsWith("y_object") && !REFUSED.containsKey(file) && !file.equals(WITH_AN_ID)) {
			assertThat(refusal).isNull();
		}
		else {
			assertThat(refusal).isNotNull();
			if (file.startsWith("n_") && !REFUSED.containsKey(file)) {
				assertThat(refusal.fault()).isEqualTo(Fault.NOT_JSON);
			}
		}
	}

	private static @Nullable RefusedDocumentException refusal(byte[] document) {
		try {
			CONTRACT.check(document);
			return null;
		}
		catch (RefusedDocumentException ex) {
			return ex;
		}
	}

	/** A file of the suite as the field of a document. */
	static byte[] document(String file) throws IOException {
		ByteArrayOutputStream document = new ByteArrayOutputStream();
		document.writeBytes("{\"value\":".getBytes(StandardCharsets.US_ASCII));
		document.writeBytes(Files.readAllBytes(SUITE.resolve(file)));
		document.write('}');
		return document.toByteArray();
	}

}
