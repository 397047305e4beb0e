package jobs.endtoend.house;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The document on configuration lists every fixed bound of both services, in its words.
 */
class BoundsDocumentTests {

	private static final Pattern BOUND = Pattern
		.compile("/\\*\\*((?:(?!/\\*).)*?)\\*/\\s*public static final \\w+ ([A-Z_]+) = (.*?);", Pattern.DOTALL);

	private static final Pattern TIME = Pattern.compile("Duration\\.ofSeconds\\((\\d+)\\)");

	@ParameterizedTest
	@ValueSource(strings = { "../rest-to-kafka/src/main/java/jobs/resttokafka/limits/Limits.java",
			"../kafka-to-mongo/src/main/java/jobs/kafkatomongo/limits/Limits.java" })
	void listsEveryBound(Path limits) throws IOException {
		List<String> document = Files.readAllLines(Path.of("../docs/configuration.md"));

		List<String> rows = BOUND.matcher(Files.readString(limits))
			.results()
			.map((bound) -> "| %s | %s | %s |".formatted(bound.group(2), value(bound.group(3)),
					bound.group(1).replaceAll("[\\s*]+", " ").strip()))
			.toList();

		assertThat(rows).hasSizeGreaterThan(5);
		assertThat(document).containsAll(rows);
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
