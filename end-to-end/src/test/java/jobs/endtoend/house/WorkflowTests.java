package jobs.endtoend.house;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A workflow may read, and runs code of others that nobody can exchange. The job that
 * publishes may write, and runs no code of the project.
 */
class WorkflowTests {

	private static final Path GITHUB = Path.of("..", ".github");

	/** A commit can't be moved as a tag can, and a version tells what it is. */
	private static final Pattern PINNED = Pattern
		.compile("uses: [\\w.-]+/[\\w./-]+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+");

	/** A job that may write runs nothing from an artifact, and nothing of Maven. */
	private static final Pattern HARMLESS = Pattern
		.compile("registry=ghcr\\.io/\\$\\{GITHUB_REPOSITORY,,}|for service in [a-z -]+; do|done"
				+ "|(sha256sum --check|docker (load|login|tag|push|logout)|gh release create) [^;&|`(]*");

	static List<Path> workflows() {
		try (Stream<Path> files = Files.list(GITHUB.resolve("workflows"))) {
			return files.sorted().toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@ParameterizedTest
	@MethodSource("workflows")
	void pinsEachAction(Path workflow) throws IOException {
		List<String> actions = Files.readAllLines(workflow)
			.stream()
			.filter((line) -> line.contains("uses:"))
			.map((line) -> line.strip().replaceFirst("^- ", ""))
			.toList();

		assertThat(actions).isNotEmpty().allMatch((action) -> PINNED.matcher(action).matches());
	}

	/** Else two jobs could run two versions, and only one of them would be renewed. */
	@Test
	void hasOneVersionOfEachAction() throws IOException {
		List<String> actions = new ArrayList<>();
		for (Path workflow : workflows()) {
			Files.readAllLines(workflow)
				.stream()
				.filter((line) -> line.contains("uses:"))
				.map((line) -> line.replaceFirst(".*uses: ", ""))
				.forEach(actions::add);
		}

		assertThat(actions.stream().distinct().map((action) -> action.replaceFirst("@.*", ""))).doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@MethodSource("workflows")
	void mayReadUnlessAJobAsksForMore(Path workflow) throws IOException {
		assertThat(read(workflow)).containsEntry("permissions", Map.of("contents", "read"));
	}

	@ParameterizedTest
	@MethodSource("workflows")
	void leavesNoTokenInACheckout(Path workflow) throws IOException {
		jobs(workflow).forEach((name, job) -> assertThat(steps(job)).as(name)
			.filteredOn((step) -> action(step).startsWith("actions/checkout"))
			.allSatisfy((step) -> assertThat(part(step, "with")).containsEntry("persist-credentials", false)));
	}

	@ParameterizedTest
	@MethodSource("workflows")
	void runsNoCodeOfTheProjectWhereItMayWrite(Path workflow) throws IOException {
		jobs(workflow).forEach((name, job) -> {
			if (mayWrite(job)) {
				assertThat(steps(job)).as(name).allSatisfy((step) -> {
					assertThat(action(step)).matches("|actions/download-artifact@.*");
					assertThat(script(step)).allMatch((line) -> HARMLESS.matcher(line).matches());
				});
			}
		});
	}

	/** Plugins and tests read the environment of their step. */
	@ParameterizedTest
	@MethodSource("workflows")
	void givesATokenOnlyToAStepThatPublishes(Path workflow) throws IOException {
		Map<String, Object> all = read(workflow);
		all.remove("jobs");
		assertThat(all.toString()).doesNotContain("github.token").doesNotContain("secrets.");
		jobs(workflow).forEach((name, job) -> {
			String text = mayWrite(job) ? job.getOrDefault("env", "").toString() : job.toString();
			assertThat(text).as(name).doesNotContain("github.token").doesNotContain("secrets.");
		});
	}

	@Test
	void publishesInAJobOfItsOwn() throws IOException {
		Map<String, Map<String, Object>> jobs = jobs(GITHUB.resolve("workflows").resolve("release.yml"));

		assertThat(jobs.entrySet().stream().filter((job) -> mayWrite(job.getValue())).map(Map.Entry::getKey))
			.containsExactly("publish");
		assertThat(jobs.get("publish").get("needs")).isEqualTo(List.of("night", "build"));
	}

	@Test
	void asksForNewerVersionsOfActionsLibrariesAndImages() throws IOException {
		List<?> updates = (List<?>) read(GITHUB.resolve("dependabot.yml")).get("updates");

		assertThat(updates.stream().map((update) -> ((Map<?, ?>) update).get("package-ecosystem").toString()))
			.contains("github-actions", "maven", "docker", "docker-compose");
	}

	private static boolean mayWrite(Map<String, Object> job) {
		return job.getOrDefault("permissions", "").toString().contains("write");
	}

	private static List<String> script(Map<String, Object> step) {
		return step.getOrDefault("run", "").toString().lines().map(String::strip).toList();
	}

	private static String action(Map<String, Object> step) {
		return step.getOrDefault("uses", "").toString();
	}

	private static Map<String, Map<String, Object>> jobs(Path workflow) throws IOException {
		return maps(read(workflow).get("jobs"));
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> steps(Map<String, Object> job) {
		return (List<Map<String, Object>>) job.get("steps");
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> part(Map<String, Object> whole, String name) {
		return (Map<String, Object>) whole.getOrDefault(name, Map.of());
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Map<String, Object>> maps(Object value) {
		return (Map<String, Map<String, Object>>) value;
	}

	private static Map<String, Object> read(Path file) throws IOException {
		return new Yaml().load(Files.readString(file));
	}

}
