package jobs.localstack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * A process that this one starts, watches and stops.
 */
public final class Child implements AutoCloseable {

	private final String name;

	private final Path log;

	private final List<String> command;

	private final Map<String, String> environment;

	private volatile @Nullable Process process;

	/**
	 * Describes a process, without starting it.
	 * @param name its name, for people
	 * @param log the file that its output is appended to
	 * @param environment what it gets beside this process's own environment
	 * @param command what to run
	 */
	public Child(String name, Path log, Map<String, String> environment, List<String> command) {
		this.name = name;
		this.log = log;
		this.command = List.copyOf(command);
		this.environment = Map.copyOf(environment);
	}

	/**
	 * A Java program, run by the Java that runs this, which ends when it runs out of
	 * memory.
	 * @param name its name
	 * @param log the file that its output is appended to
	 * @param environment what it gets beside this process's own environment
	 * @param arguments of {@code java}
	 * @return the process, not started
	 */
	public static Child java(String name, Path log, Map<String, String> environment, String... arguments) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.add("-XX:+ExitOnOutOfMemoryError");
		command.addAll(List.of(arguments));
		return new Child(name, log, environment, command);
	}

	/**
	 * A Kafka broker alone.
	 * @param data its folder
	 * @param port its port
	 * @param log the file that its output is appended to
	 * @param settings further lines of its {@code server.properties}
	 * @return the process, not started
	 */
	public static Child kafka(Path data, int port, Path log, String... settings) {
		List<String> arguments = new ArrayList<>(List.of(data.toString(), Integer.toString(port)));
		arguments.addAll(List.of(settings));
		return kafka(log, arguments.toArray(String[]::new));
	}

	/**
	 * A member of a Kafka cluster.
	 * @param data its folder, with its {@code server.properties} in it and
	 * {@code log.dirs} at {@code log}
	 * @param log the file that its output is appended to
	 * @return the process, not started
	 */
	public static Child kafkaMember(Path data, Path log) {
		return kafka(log, data.toString());
	}

	private static Child kafka(Path log, String... arguments) {
		List<String> java = new ArrayList<>(List.of("-Xmx512m", "-cp", System.getProperty("java.class.path"),
				"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true",
				KafkaBroker.class.getName()));
		java.addAll(List.of(arguments));
		return java("Kafka", log, Map.of(), java.toArray(String[]::new));
	}

	/**
	 * A {@code mongod} where one is found on the PATH, else the embedded stand-in.
	 * @param data the folder above its data
	 * @param port its port
	 * @param log the file that its output is appended to
	 * @param options further options of {@code mongod}; the stand-in knows none
	 * @return the process, not started
	 */
	public static Child mongo(Path data, int port, Path log, String... options) throws IOException {
		Path mongod = onPath("mongod");
		if (mongod != null) {
			Path folder = Files.createDirectories(data.resolve("mongod"));
			List<String> command = new ArrayList<>(List.of(mongod.toString(), "--dbpath", folder.toString(), "--port",
					Integer.toString(port), "--bind_ip", "127.0.0.1"));
			command.addAll(List.of(options));
			return new Child("MongoDB by " + mongod, log, Map.of(), command);
		}
		return java("an embedded stand-in for MongoDB", log, Map.of(), "-Xmx1g", "-cp",
				System.getProperty("java.class.path"), "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
				EmbeddedMongo.class.getName(), data.resolve("embedded").toString(), Integer.toString(port));
	}

	/**
	 * Looks for a program on the PATH.
	 * @param program its name
	 * @return its file, or {@code null} where there is none
	 */
	public static @Nullable Path onPath(String program) {
		for (String folder : System.getenv().getOrDefault("PATH", "").split(":")) {
			Path file = Path.of(folder, program);
			if (Files.isExecutable(file) && Files.isRegularFile(file)) {
				return file;
			}
		}
		return null;
	}

	public String name() {
		return this.name;
	}

	public Path log() {
		return this.log;
	}

	/**
	 * Starts the process, again if it has ended.
	 * @return this
	 */
	public Child start() {
		try {
			ProcessBuilder builder = new ProcessBuilder(ownSession(this.command)).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(this.log.toFile()));
			builder.environment().putAll(this.environment);
			this.process = builder.start();
			return this;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("%s can't be started: %s".formatted(this.name, ex.getMessage()), ex);
		}
	}

	/**
	 * Out of the reach of the terminal's Ctrl-C, which is this process's to pass on.
	 */
	private static List<String> ownSession(List<String> command) {
		Path setsid = onPath("setsid");
		if (setsid == null) {
			return command;
		}
		List<String> all = new ArrayList<>(List.of(setsid.toString()));
		all.addAll(command);
		return all;
	}

	public ProcessHandle handle() {
		Process started = this.process;
		if (started == null) {
			throw new IllegalStateException(this.name + " was not started");
		}
		return started.toHandle();
	}

	public boolean isAlive() {
		Process started = this.process;
		return started != null && started.isAlive();
	}

	/**
	 * Waits until the process is ready.
	 * @param ready tells whether it is
	 * @param limit the longest wait
	 * @throws IllegalStateException when the process ends or the time is up
	 */
	public void awaitReady(BooleanSupplier ready, Duration limit) {
		long start = System.nanoTime();
		while (!ready.getAsBoolean()) {
			if (!isAlive()) {
				throw new IllegalStateException(
						"%s has ended before it was ready: see %s%n%s".formatted(this.name, this.log, lastWords()));
			}
			if (System.nanoTime() - start > limit.toNanos()) {
				throw new IllegalStateException("%s is not ready after %d s: see %s%n%s".formatted(this.name,
						limit.toSeconds(), this.log, lastWords()));
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
		}
	}

	private String lastWords() {
		try {
			List<String> lines = Files.readAllLines(this.log);
			return String.join("\n", lines.subList(Math.max(0, lines.size() - 12), lines.size())).strip();
		}
		catch (IOException ex) {
			return "";
		}
	}

	/**
	 * Sends a signal.
	 * @param name {@code STOP}, {@code CONT} or another name that {@code kill} knows
	 */
	public void signal(String name) {
		try {
			new ProcessBuilder("kill", "-" + name, Long.toString(handle().pid())).start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Ends the process with {@code kill -9}, and waits for its end.
	 */
	public void kill() {
		end(true, Duration.ofSeconds(30));
	}

	/**
	 * Ends the process with SIGTERM, or {@code kill -9} when it is still there after 30
	 * s.
	 */
	@Override
	public void close() {
		if (!end(false, Duration.ofSeconds(30))) {
			kill();
		}
	}

	private boolean end(boolean forcibly, Duration limit) {
		Process started = this.process;
		if (started == null) {
			return true;
		}
		if (forcibly) {
			started.destroyForcibly();
		}
		else {
			started.destroy();
		}
		try {
			return started.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
