package jobs.endtoend.pair;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import jobs.testkit.Sha256;

/**
 * A service unpacked and with the cache for its start, as {@code ./run} and the image
 * have it: it starts in less than half the time of its plain jar.
 *
 * @param jar what Java runs
 * @param cache what Java starts it with
 */
public record Application(Path jar, Path cache) {

	private static final Path ROOT = Path.of("..");

	private static final int LIMIT_MINUTES = 3;

	/** The builds that this run has found, or made, up to date. */
	private static final Set<Path> READY = new HashSet<>();

	/**
	 * A service as Maven has built it here.
	 * @param module the service
	 */
	public static Application of(String module) {
		return of(ROOT, module);
	}

	/**
	 * A service as Maven has built it, unpacked anew where the build has made another
	 * jar.
	 * @param checkout the folder of the build
	 * @param module the service
	 * @throws IllegalStateException when there is no jar, or no cache can be made
	 */
	public static synchronized Application of(Path checkout, String module) {
		try {
			Path target = checkout.resolve(module).resolve("target").toRealPath();
			Path packed = target.resolve(module + ".jar");
			if (Files.notExists(packed)) {
				throw new IllegalStateException("No jar at %s: run mvn verify".formatted(packed));
			}
			Path folder = target.resolve("app");
			Application application = new Application(folder.resolve(module + ".jar"), folder.resolve("app.aot"));
			if (!READY.contains(target)) {
				Path made = folder.resolve("made-of");
				String digest = Sha256.of(Files.readAllBytes(packed));
				// not by their times: each build gives a jar the same one
				if (Files.notExists(made) || !Files.readString(made).equals(digest)) {
					train(checkout, module);
					Files.writeString(made, digest);
				}
				READY.add(target);
			}
			return application;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void train(Path checkout, String module) throws IOException {
		File log = checkout.resolve(module).resolve("target").resolve("train.log").toFile();
		Process training = new ProcessBuilder("bash", "-c",
				"fail() { echo \"$*\"; exit 1; }; . local-stack/java.sh; train \"$0\" \"$1\"",
				System.getProperty("java.home"), module)
			.directory(checkout.toFile())
			.redirectErrorStream(true)
			.redirectOutput(log)
			.start();
		try {
			if (!training.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES) || training.exitValue() != 0) {
				throw new IllegalStateException("%s can't be prepared for its start, see %s".formatted(module, log));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		finally {
			training.descendants().forEach(ProcessHandle::destroyForcibly);
			training.destroyForcibly();
		}
	}

	/** What follows Java's options on the command line. */
	public List<String> arguments() {
		return List.of("-XX:AOTCache=" + this.cache, "-jar", this.jar.toString());
	}

}
