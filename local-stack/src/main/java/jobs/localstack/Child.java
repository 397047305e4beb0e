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
		Path setsid = Programs.onPath("setsid");
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
