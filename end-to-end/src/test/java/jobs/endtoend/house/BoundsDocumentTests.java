package jobs.endtoend.house;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The document on configuration lists the fixed bounds of each service, and no others, in
 * the words and with the values of the code.
 */
class BoundsDocumentTests {

	private static final Pattern BOUND = Pattern
		.compile("/\\*\\*((?:(?!/\\*).)*?)\\*/\\s*public static final \\w+ ([A-Z_]+) = (.*?);", Pattern.DOTALL);

	private static final Pattern TIME = Pattern.compile("Duration\\.ofSeconds\\((\\d+)\\)");

	private static final Pattern ROW = Pattern.compile("\\| ([A-Z_]+) \\| (.*?) \\|.*");

	@ParameterizedTest
	@CsvSource({ "rest-to-kafka, ../rest-to-kafka/src/main/java/jobs/resttokafka/limits/Limits.java",
			"kafka-to-mongo, ../kafka-to-mongo/src/main/java/jobs/kafkatomongo/limits/Limits.java" })
	void listsEveryBound(String service, Path limits) throws IOException {
		List<String> rows = BOUND.matcher(Files.readString(limits))
			.results()
			.map((bound) -> "| %s | %s | %s |".formatted(bound.group(2), value(bound.group(3)),
					bound.group(1).replaceAll("[\\s*]+", " ").strip()))
			.toList();

		assertThat(rows).hasSizeGreaterThan(5);
		assertThat(table(service)).containsExactlyElementsOf(rows);
	}

	/** The bounds of both are where each of them is kept, in any file. */
	@Test
	void hasTheValuesOfTheBoundsOfBoth() throws IOException {
		String code = code(Path.of("../chassis/src/main/java/jobs/chassis/http"));
		List<MatchResult> rows = table("both services").stream()
			.map(ROW::matcher)
			.filter(Matcher::matches)
			.map(Matcher::toMatchResult)
			.toList();

		assertThat(rows).hasSizeGreaterThan(5).allSatisfy((row) -> {
			Matcher constant = Pattern.compile("static final \\w+ %s = (.*?);".formatted(row.group(1))).matcher(code);
			assertThat(constant.find()).as(row.group(1)).isTrue();
			String value = value(constant.group(1).replaceAll("[\"_]", ""));
			assertThat(row.group(2)).as(row.group(1))
				.isEqualTo(row.group(1).endsWith("_MILLIS") ? Integer.parseInt(value) / 1000 + " s" : value);
		});
	}

	private static List<String> table(String owner) throws IOException {
		String document = Files.readString(Path.of("../docs/configuration.md"));
		String section = document.substring(document.indexOf("### Bounds of %s\n".formatted(owner)) + 1);
		return section.substring(0, section.contains("\n### ") ? section.indexOf("\n### ") : section.length())
			.lines()
			.filter((line) -> line.startsWith("| ") && !line.startsWith("| name") && !line.startsWith("| ---"))
			.toList();
	}

	private static String code(Path folder) throws IOException {
		StringBuilder code = new StringBuilder();
		try (Stream<Path> files = Files.list(folder)) {
			for (Path file : files.sorted().toList()) {
				code.append(Files.readString(file));
			}
		}
		return code.toString();
	}

	private static String value(String code) {
		String seconds = TIME.matcher(code).replaceAll("$1 s");
		if (seconds.endsWith(" s")) {
			return seconds;
		}
		long value = 0;
		for (String term : code.split("-")) {
			long product = 1;
			for (String factor : term.split("\\*")) {
				product *= Long.parseLong(factor.strip());
			}
			value = (value == 0) ? product : value - product;
		}
		return Long.toString(value);
	}

}
