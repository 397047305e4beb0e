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
 * A process that this one starts, watches and stops, and that ends when this one is gone.
 */
public final class Child implements AutoCloseable {

	/** How long a process has for its end, once who started it is gone. */
	static final Duration ORPHANED = Duration.ofSeconds(30);

	private static final Duration LAST = Duration.ofSeconds(5);

	/**
	 * Runs a program whose end follows the end of its standard input, a pipe that this
	 * process holds: whatever ends this process, {@code kill -9} too, closes the pipe.
	 * The program takes the shell's place, and so its process id.
	 */
	private static final String LEASH = """
			exec 3<&0 </dev/null
			sh -c '
			  read -r _ <&3
			  for _ in $(seq $2); do kill -0 $1 || exit 0; sleep 1; done
			  kill -TERM $1 || exit 0
			  for _ in $(seq $3); do sleep 1; kill -0 $1 || exit 0; done
			  kill -KILL $1' leash $$ "$0" %d 2>/dev/null &
			exec "$@" 3<&-
			""".formatted(ORPHANED.toSeconds());

	private final String name;

	private final Path log;

	private final List<String> command;

	private final Map<String, String> environment;

	private final Duration stay;

	private volatile @Nullable Process process;

	/**
	 * Describes a process, without starting it.
	 * @param name its name, for people
	 * @param log the file that its output is appended to
	 * @param environment what it gets beside this process's own environment
	 * @param command what to run
	 */
	public Child(String name, Path log, Map<String, String> environment, List<String> command) {
		this(name, log, environment, command, Duration.ZERO);
	}

	private Child(String name, Path log, Map<String, String> environment, List<String> command, Duration stay) {
		this.name = name;
		this.log = log;
		this.command = List.copyOf(command);
		this.environment = Map.copyOf(environment);
		this.stay = stay;
	}

	/**
	 * The same process, which stays a little longer than others when this one is gone:
	 * who has something in hand finds it still there.
	 */
	Child leftLast() {
		return new Child(this.name, this.log, this.environment, this.command, LAST);
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
			ProcessBuilder builder = new ProcessBuilder(leashed()).redirectErrorStream(true)
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
	private List<String> leashed() {
		Path setsid = Programs.onPath("setsid");
		List<String> all = new ArrayList<>((setsid != null) ? List.of(setsid.toString()) : List.of());
		all.addAll(List.of("sh", "-c", LEASH, Long.toString(this.stay.toSeconds())));
		all.addAll(this.command);
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
			// what failed stands above its stack trace
			List<String> lines = Files.readAllLines(this.log)
				.stream()
				.filter((line) -> !line.startsWith("\tat "))
				.toList();
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
		if (!end(Duration.ofSeconds(30))) {
			kill();
		}
	}

	/**
	 * Ends the process with SIGTERM.
	 * @param limit the longest wait for its end
	 * @return whether it has ended by then
	 */
	public boolean end(Duration limit) {
		return end(false, limit);
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
