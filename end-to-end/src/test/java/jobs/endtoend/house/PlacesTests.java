package jobs.endtoend.house;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The documents for those who work on it name classes and rooms that are there. */
class PlacesTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern CLASS = Pattern.compile("`(jobs(?:\\.[a-z]+)+\\.[A-Z]\\w*)`");

	@Test
	void namesClassesThatAreThere() throws IOException {
		List<String> classes = CLASS.matcher(Files.readString(ROOT.resolve("CONTRIBUTING.md")))
			.results()
			.map((found) -> found.group(1))
			.toList();

		assertThat(classes).hasSizeGreaterThan(20).allSatisfy((one) -> assertThat(modules().anyMatch((module) -> {
			String file = one.replace('.', '/') + ".java";
			return Files.exists(module.resolve("src/main/java").resolve(file))
					|| Files.exists(module.resolve("src/test/java").resolve(file));
		})).as(one).isTrue());
	}

	@Test
	void namesAllModules() throws IOException {
		String contributing = Files.readString(ROOT.resolve("CONTRIBUTING.md"));

		assertThat(modules()).hasSizeGreaterThan(5)
			.allSatisfy((module) -> assertThat(contributing).contains("| `%s/` |".formatted(module.getFileName())));
	}

	@ParameterizedTest
	@CsvSource({ "the chassis, chassis, jobs/chassis", "rest-to-kafka, rest-to-kafka, jobs/resttokafka",
			"kafka-to-mongo, kafka-to-mongo, jobs/kafkatomongo", "the crawler, crawler, jobs/crawler" })
	void describesAllRooms(String title, String module, String root) throws IOException {
		String text = Files.readString(ROOT.resolve("docs/design.md"));
		int start = text.indexOf("### The rooms of " + title + "\n");
		List<String> described = Pattern.compile("(?m)^\\| `([a-z]+)` \\|")
			.matcher(text.substring(start, text.indexOf("\n#", start + 1)))
			.results()
			.map((row) -> row.group(1))
			.toList();

		try (Stream<Path> inRoot = Files.list(ROOT.resolve(module).resolve("src/main/java").resolve(root))) {
			assertThat(described).containsExactlyInAnyOrderElementsOf(
					inRoot.filter(Files::isDirectory).map((room) -> room.getFileName().toString()).toList());
		}
	}

	/** The folders that Maven builds, with and without the benchmarks. */
	private static Stream<Path> modules() throws IOException {
		return Pattern.compile("<module>([^<]+)</module>")
			.matcher(Files.readString(ROOT.resolve("pom.xml")))
			.results()
			.map((module) -> ROOT.resolve(module.group(1)));
	}

}
