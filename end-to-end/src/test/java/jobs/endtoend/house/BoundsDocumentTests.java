package jobs.endtoend.house;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
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

	private static final Pattern BOUND = Pattern.compile(
			"/\\*\\*((?:(?!/\\*).)*?)\\*/\\s*(?:public |private )?static final (?:int|Duration) ([A-Z_]+) = (.*?);",
			Pattern.DOTALL);

	private static final Pattern TIME = Pattern.compile("Duration\\.of(Seconds|Minutes)\\((\\d+)\\)");

	/** Constants that bound nothing that somebody asks for: pauses, orders and codes. */
	private static final Set<String> NO_BOUNDS = Set.of("FIRST_BACK_OFF", "TIMEOUT", "START", "ADMITTED",
			"PART_OF_ABSENCE", "PAUSE", "LOOK", "RECENT", "POLL", "HOPE", "AGAIN", "DUPLICATE_KEY", "UNAUTHORISED",
			"UNPROVEN", "BESIDE_A_HEADER", "BESIDE_A_JOB", "REFRESH", "ORDER", "REQUEST", "GROWTH", "FILTER_BYTES",
			"OTHER_OPTIONS");

	private static final Pattern ROW = Pattern.compile("\\| ([A-Z_]+) \\| (.*?) \\|.*");

	@ParameterizedTest
	@CsvSource({ "rest-to-kafka, jobs/resttokafka", "kafka-to-mongo, jobs/kafkatomongo" })
	void listsEveryBound(String service, String root) throws IOException {
		List<String> rows = BOUND.matcher(code(Path.of("..", service, "src/main/java", root)))
			.results()
			.filter((bound) -> !NO_BOUNDS.contains(bound.group(2)))
			.map((bound) -> "| %s | %s | %s |".formatted(bound.group(2), value(bound.group(3)),
					bound.group(1).replaceAll("[\\s*]+", " ").strip()))
			.toList();

		assertThat(rows).hasSizeGreaterThan(5);
		assertThat(table(service)).containsExactlyInAnyOrderElementsOf(rows);
	}

	/** The bounds of both are where each of them is kept, in any file. */
	@Test
	void hasTheValuesOfTheBoundsOfBoth() throws IOException {
		String code = code(Path.of("../chassis/src/main/java/jobs/chassis/http"))
				+ Files.readString(Path.of("../contract/src/main/java/jobs/contract/resources/CheckBudget.java"));
		List<MatchResult> rows = table("both services").stream()
			.map(ROW::matcher)
			.filter(Matcher::matches)
			.map(Matcher::toMatchResult)
			.toList();

		assertThat(rows).hasSizeGreaterThan(5).allSatisfy((row) -> {
			Matcher constant = Pattern.compile("static final \\w+ %s = (.*?);".formatted(row.group(1))).matcher(code);
			assertThat(constant.find()).as(row.group(1)).isTrue();
			String value = value(constant.group(1));
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
		try (Stream<Path> files = Files.walk(folder)) {
			for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
				code.append(Files.readString(file));
			}
		}
		return code.toString();
	}

	private static String value(String code) {
		Matcher time = TIME.matcher(code);
		if (time.matches()) {
			return Integer.parseInt(time.group(2)) * (time.group(1).equals("Minutes") ? 60 : 1) + " s";
		}
		long value = 0;
		for (String term : code.replaceAll("[\"_]", "").split("-")) {
			long product = 1;
			for (String factor : term.split("\\*")) {
				product *= Long.parseLong(factor.strip());
			}
			value = (value == 0) ? product : value - product;
		}
		return Long.toString(value);
	}

}
