package jobs.localstack;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The folder with data and logs, which one launcher uses at a time, until its process
 * ends.
 */
final class DataFolder {

	/**
	 * How long another launcher may take to end, once it was told to: it has four
	 * children.
	 */
	private static final Duration END_OF_ANOTHER = Duration.ofMinutes(2);

	private final Path path;

	private final FileChannel lock;

	/**
	 * Takes the folder. Waits for another launcher that ends: it has forgotten its
	 * number, and {@code ./run} has noted this one.
	 * @throws IllegalStateException when another launcher uses it
	 */
	DataFolder(Path path) throws IOException, InterruptedException {
		this.path = path;
		Files.createDirectories(path.resolve("logs"));
		this.lock = FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
		if (!isTaken()) {
			forgetLauncher();
			throw new IllegalStateException(
					"Another ./run is using %s: stop it first, with Ctrl-C or kill $(cat .run/launcher)."
						.formatted(path));
		}
	}

	private boolean isTaken() throws IOException, InterruptedException {
		if (this.lock.tryLock() != null) {
			return true;
		}
		if (!isNoted()) {
			return false;
		}
		System.out.println("Another ./run is using %s: waiting for its end".formatted(this.path));
		long start = System.nanoTime();
		while (this.lock.tryLock() == null) {
			if (System.nanoTime() - start > END_OF_ANOTHER.toNanos()) {
				return false;
			}
			Thread.sleep(100);
		}
		return true;
	}

	Path path() {
		return this.path;
	}

	/** Notes this process as the one to end, for whoever wants to stop all. */
	void noteLauncher() throws IOException {
		Files.writeString(launcher(), ProcessHandle.current().pid() + "\n");
	}

	/**
	 * Deletes that note, unless it is of another process: the number of this one may soon
	 * be another's.
	 */
	void forgetLauncher() throws IOException {
		if (isNoted()) {
			Files.delete(launcher());
		}
	}

	private boolean isNoted() throws IOException {
		return Files.exists(launcher())
				&& Files.readString(launcher()).strip().equals(Long.toString(ProcessHandle.current().pid()));
	}

	private Path launcher() {
		return this.path.resolve("launcher");
	}

	/**
	 * Deletes the folder.
	 * @throws IllegalStateException while a crawl is under way: it would go on in a file
	 * that is gone
	 */
	void clean() throws IOException {
		requireNoCrawl();
		Files.walkFileTree(this.path, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
				Files.delete(file);
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
				Files.delete(folder);
				return FileVisitResult.CONTINUE;
			}

		});
		System.out.println("Deleted " + this.path);
	}

	private void requireNoCrawl() throws IOException {
		Path known = this.path.resolve("crawl/frontier.mv");
		if (!Files.exists(known)) {
			return;
		}
		try (FileChannel file = FileChannel.open(known, StandardOpenOption.WRITE); FileLock mine = file.tryLock()) {
			if (mine == null) {
				throw new IllegalStateException(
						"A crawl is under way, and what it knows is in %s: stop it first, with Ctrl-C where it runs."
							.formatted(this.path));
			}
		}
	}

	/**
	 * Notes where Kafka and MongoDB are that run for this folder, and the file of
	 * resources, for the commands of {@code ./run}.
	 * @param addresses by the names of their variables; none deletes the note
	 */
	void noteAddresses(Map<String, String> addresses) throws IOException {
		Path note = this.path.resolve("addresses");
		Files.deleteIfExists(note);
		if (!addresses.isEmpty()) {
			Files.write(note, addresses.entrySet().stream().map((one) -> one.getKey() + "=" + one.getValue()).toList());
		}
	}

	/**
	 * The log of a process, after that of the run before was put aside.
	 */
	Path log(String name) throws IOException {
		Path log = this.path.resolve("logs").resolve(name + ".log");
		if (Files.exists(log)) {
			Files.move(log, log.resolveSibling(name + ".log.1"), StandardCopyOption.REPLACE_EXISTING);
		}
		return log;
	}

}
