package jobs.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;

import jobs.localstack.Child;
import jobs.localstack.PidFile;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import jobs.localstack.Readiness;

/**
 * The processes of a run: Kafka, the database, and all that is measured. They end with
 * this, or when the run is interrupted.
 */
final class Stage implements AutoCloseable {

	private static final Duration START_LIMIT = Duration.ofSeconds(90);

	private final Readiness readiness = new Readiness();

	private final List<Child> children = new ArrayList<>();

	private final Path folder;

	private final PidFile pids;

	private final Thread atEnd = new Thread(this::interrupt);

	private final String kafka;

	private int database;

	private boolean ending;

	private volatile boolean interrupted;

	/**
	 * Starts Kafka, and the database where there is a {@code mongod}.
	 * @param root the folder of the project
	 */
	Stage(Path root) throws IOException, InterruptedException {
		this.folder = root.resolve("benchmarks/target/stage");
		this.pids = new PidFile(this.folder.resolve("pids"));
		this.pids.endLeftovers();
		delete(this.folder);
		Files.createDirectories(this.folder);
		Runtime.getRuntime().addShutdownHook(this.atEnd);
		int port = Ports.free();
		this.kafka = "127.0.0.1:" + port;
		// some gigabytes go through it, of which nobody needs any for long
		launch(Programs.kafka(this.folder.resolve("kafka"), port, log("kafka"), "log.segment.bytes=67108864",
				"log.retention.check.interval.ms=5000", "log.segment.delete.delay.ms=1000"))
			.awaitReady(() -> Ports.isListening(port), START_LIMIT);
		if (Programs.onPath("mongod") != null) {
			this.database = Ports.free();
			Child mongod = launch(Programs.mongo(this.folder, this.database, log("mongod")));
			mongod.awaitReady(() -> Ports.isListening(this.database), START_LIMIT);
		}
	}

	String kafka() {
		return this.kafka;
	}

	/**
	 * The port of the database, or 0 where there is none.
	 */
	int database() {
		return this.database;
	}

	Path folder() {
		return this.folder;
	}

	/**
	 * Where a process tells what it does.
	 * @param name of the process
	 */
	Path log(String name) {
		return this.folder.resolve(name + ".log");
	}

	/**
	 * Starts a process that this ends when it ends.
	 */
	synchronized Child launch(Child child) throws IOException {
		if (this.ending) {
			throw new IllegalStateException("Interrupted");
		}
		this.children.add(child);
		this.pids.note(child.start());
		return child;
	}

	/**
	 * Ends a process before all others.
	 */
	synchronized void end(Child child) {
		child.close();
		this.children.remove(child);
	}

	void awaitListening(Child child, int port) {
		child.awaitReady(() -> Ports.isListening(port), START_LIMIT);
	}

	void awaitReady(Child child, int port) {
		child.awaitReady(() -> isReady(port), START_LIMIT);
	}

	/** The same of a service that speaks TLS. */
	void awaitReadyByTls(Child child, int port) {
		Readiness byTls = new Readiness(true);
		child.awaitReady(() -> byTls.isAt(port), START_LIMIT);
	}

	boolean isReady(int port) {
		return this.readiness.isAt(port);
	}

	/**
	 * Whether what a service answers to a GET is as it should be; not while it refuses.
	 */
	boolean answers(int port, String path, Predicate<String> expected) {
		String answer = this.readiness.read(port, path);
		return answer != null && expected.test(answer);
	}

	private void interrupt() {
		this.interrupted = true;
		end();
		System.err.println("Interrupted: all that was started has ended.");
	}

	private synchronized void end() {
		this.ending = true;
		for (Child child : this.children.reversed()) {
			child.kill();
		}
		this.children.clear();
		try {
			delete(this.folder.resolve("kafka"));
			delete(this.folder.resolve("mongod"));
		}
		catch (IOException | UncheckedIOException ex) {
			// the next run deletes it
		}
	}

	/**
	 * Ends all processes and deletes their data; their logs stay.
	 */
	@Override
	public void close() {
		while (this.interrupted) {
			// what fails because all was ended is not worth a word; the JVM ends
			// meanwhile
			LockSupport.park();
		}
		end();
		Runtime.getRuntime().removeShutdownHook(this.atEnd);
	}

	private static void delete(Path folder) throws IOException {
		if (Files.notExists(folder)) {
			return;
		}
		try (Stream<Path> files = Files.walk(folder)) {
			files.sorted(Comparator.reverseOrder()).forEach((file) -> {
				try {
					Files.delete(file);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
		}
	}

}
