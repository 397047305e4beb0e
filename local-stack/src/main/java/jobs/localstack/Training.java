package jobs.localstack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Makes the caches of classes that services start faster with, where there are none: in
 * the background, with the lowest priority, for the next start. A run never fails by it.
 */
final class Training implements AutoCloseable {

	private final DataFolder folder;

	private final PidFile pids;

	private @Nullable Child child;

	private boolean stopped;

	Training(DataFolder folder, PidFile pids) {
		this.folder = folder;
		this.pids = pids;
	}

	/**
	 * Begins, and does not wait.
	 * @param jars the services, unpacked
	 */
	void start(List<Path> jars) {
		List<Path> untrained = jars.stream().filter((jar) -> Files.notExists(cache(jar))).toList();
		if (!untrained.isEmpty()) {
			System.out.println("In the background, caches for faster starts are made; starts after that have them.");
			Thread.startVirtualThread(() -> trainAll(untrained));
		}
	}

	/** Where a service that was unpacked has its cache. */
	static Path cache(Path jar) {
		return jar.resolveSibling("app.aot");
	}

	private void trainAll(List<Path> jars) {
		try {
			Path log = this.folder.log("training");
			for (Path jar : jars) {
				if (!isTrained(jar, log)) {
					tell(log.toString());
					return;
				}
			}
			System.out.println("The caches for faster starts are made.");
		}
		catch (IOException | UncheckedIOException ex) {
			tell(String.valueOf(ex.getMessage()));
		}
	}

	private boolean isTrained(Path jar, Path log) throws IOException {
		String script = Path.of("local-stack", "train.sh").toAbsolutePath().toString();
		String java = Programs.javaOfThis().toString();
		List<String> command = List.of("nice", "-n", "19", "bash", script, java, jar.toString(), cache(jar).toString());
		Child training = new Child("training", log, Map.of(), command);
		if (isBegun(training)) {
			training.handle().onExit().join();
		}
		return Files.exists(cache(jar));
	}

	private synchronized boolean isBegun(Child training) throws IOException {
		if (this.stopped) {
			return false;
		}
		this.child = training.start();
		this.pids.note(training);
		return true;
	}

	private synchronized void tell(String reason) {
		if (!this.stopped) {
			System.out.printf("No caches for faster starts were made, the next ./run tries again: see %s%n", reason);
		}
	}

	@Override
	public synchronized void close() {
		this.stopped = true;
		if (this.child != null) {
			this.child.close();
		}
	}

}
