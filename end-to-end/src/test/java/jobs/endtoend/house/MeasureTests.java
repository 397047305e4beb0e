package jobs.endtoend.house;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How large the house is, and that nothing stands in it twice.
 */
class MeasureTests {

	private static final int MAX_LINES_OF_A_FILE = 300;

	/** Lines that two places may not share. */
	private static final int RUN = 10;

	private final Map<Path, List<String>> files = Stream.of("contract", "chassis", "rest-to-kafka", "kafka-to-mongo")
		.map((module) -> Path.of("..", module, "src/main/java"))
		.flatMap(MeasureTests::walk)
		.collect(Collectors.toMap((file) -> file, MeasureTests::read));

	@Test
	void hasNoLargeFile() {
		assertThat(this.files).isNotEmpty()
			.allSatisfy(
					(file, lines) -> assertThat(lines).as("%s", file).hasSizeLessThanOrEqualTo(MAX_LINES_OF_A_FILE));
	}

	@Test
	void saysWhatEachRoomIsFor() {
		assertThat(this.files.keySet().stream().map(Path::getParent).distinct())
			.allSatisfy((room) -> assertThat(room.resolve("package-info.java")).exists());
	}

	/** A class of another name would end the night after an hour. */
	@Test
	void namesTestsThatThereAre() {
		Set<String> tests = Stream
			.of("contract", "chassis", "rest-to-kafka", "kafka-to-mongo", "crawler", "end-to-end", "benchmarks")
			.map((module) -> Path.of("..", module, "src/test/java"))
			.flatMap(MeasureTests::walk)
			.map((file) -> file.getFileName().toString().replace(".java", ""))
			.collect(Collectors.toSet());

		for (String script : List.of("run", "night", "parts.sh")) {
			assertThat(Pattern.compile("\\b[A-Z]\\w*Tests\\b")
				.matcher(String.join("\n", read(Path.of("../.ci", script))))
				.results()
				.map(MatchResult::group)).as(script).isSubsetOf(tests);
		}
	}

	@Test
	void saysNothingTwice() {
		Map<String, String> seen = new HashMap<>();
		List<String> twice = new ArrayList<>();
		this.files.forEach((file, all) -> {
			List<String> lines = all.stream().map(String::strip).filter(MeasureTests::isCode).toList();
			for (int i = 0; i + RUN <= lines.size(); i++) {
				String other = seen.putIfAbsent(String.join("\n", lines.subList(i, i + RUN)), file + ":" + i);
				if (other != null) {
					twice.add(other + " ~ " + file + ":" + i);
				}
			}
		});

		assertThat(twice).isEmpty();
	}

	private static boolean isCode(String line) {
		return !line.isEmpty() && !line.startsWith("import ") && !line.startsWith("*") && !line.startsWith("/")
				&& !line.startsWith("package ");
	}

	private static Stream<Path> walk(Path folder) {
		try (Stream<Path> files = Files.walk(folder)) {
			return files.filter((file) -> file.toString().endsWith(".java")).toList().stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> read(Path file) {
		try {
			return Files.readAllLines(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
