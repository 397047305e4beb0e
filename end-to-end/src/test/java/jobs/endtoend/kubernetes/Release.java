package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The last version that was released, built from its sources: a tag, or in a clone
 * without tags the commit that says so.
 *
 * @param name of the tag, or the commit
 * @param folder of its sources and jars
 */
record Release(String name, Path folder) {

	private static final Path ROOT = Path.of("..");

	private static final int LIMIT_MINUTES = 10;

	/**
	 * Builds the last one before what is checked out, or finds what was built before.
	 * Throws {@link IllegalStateException} when it can't be built.
	 * @return nothing where this checkout has no history, or no release in it
	 */
	static Optional<Release> last() {
		Optional<String> name = line("git", "describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^")
			.or(() -> line("git", "log", "-1", "--format=%h", "--extended-regexp", "--grep", "^Release [0-9.]+$",
					"HEAD^"));
		return name.map(Release::built);
	}

	private Path jar(String service) {
		return this.folder.resolve(service).resolve("target").resolve(service + ".jar");
	}

	private static Release built(String name) {
		String commit = line("git", "rev-parse", name + "^{commit}").orElseThrow();
		Release release = new Release(name, Path.of("target", "releases", commit).toAbsolutePath());
		if (Files.notExists(release.jar("rest-to-kafka")) || Files.notExists(release.jar("kafka-to-mongo"))) {
			release.build(commit);
		}
		return release;
	}

	private void build(String commit) {
		try {
			Files.createDirectories(this.folder);
			run("sh", "-c", "git archive $0 | tar -x -C $1", commit, this.folder.toString());
			run("mvn", "-q", "-B", "-ntp", "-f", this.folder.toString(), "-pl", "rest-to-kafka,kafka-to-mongo", "-am",
					"package", "-Dmaven.test.skip=true");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void run(String... command) throws IOException {
		Path log = this.folder.resolve("build.log");
		Process process = new ProcessBuilder(command).directory(ROOT.toFile())
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
			.start();
		if (!hasSucceeded(process)) {
			throw new IllegalStateException(
					"%s can't be built: %s".formatted(this.name, String.join("\n", Files.readAllLines(log))));
		}
	}

	/** What a command prints, when it succeeds. */
	private static Optional<String> line(String... command) {
		try {
			Process process = new ProcessBuilder(command).directory(ROOT.toFile())
				.redirectError(ProcessBuilder.Redirect.DISCARD)
				.start();
			List<String> lines = process.inputReader(StandardCharsets.UTF_8).lines().toList();
			return hasSucceeded(process) ? lines.stream().findFirst() : Optional.empty();
		}
		catch (IOException ex) {
			// there is no git
			return Optional.empty();
		}
	}

	private static boolean hasSucceeded(Process process) {
		try {
			if (process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
				return process.exitValue() == 0;
			}
			process.destroyForcibly();
			return false;
		}
		catch (InterruptedException ex) {
			process.destroyForcibly();
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
