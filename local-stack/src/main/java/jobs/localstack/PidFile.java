package jobs.localstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Remembers started processes beyond the end of who started them, so that the next one
 * can end what a killed one left behind. Pid and start time name a process.
 *
 * @param file where they stand
 */
public record PidFile(Path file) {

	/**
	 * Notes a process that was started.
	 * @param child the process
	 */
	public void note(Child child) throws IOException {
		Files.writeString(this.file, child.handle().pid() + " " + start(child.handle()) + "\n",
				StandardOpenOption.CREATE, StandardOpenOption.APPEND);
	}

	/**
	 * Waits for what was noted and still runs, which was told to end when who started it
	 * was gone, and ends it by force where that takes too long.
	 * @throws IllegalStateException when a process does not end
	 */
	public void endLeftovers() throws IOException, InterruptedException {
		if (Files.notExists(this.file)) {
			return;
		}
		List<ProcessHandle> left = Files.readAllLines(this.file)
			.stream()
			.flatMap((line) -> running(line).stream())
			.toList();
		if (!left.isEmpty()) {
			end(left);
		}
		Files.delete(this.file);
	}

	private static void end(List<ProcessHandle> left) throws InterruptedException {
		try (Progress progress = new Progress(Boolean.getBoolean("moves"))) {
			progress.begin("Waiting for what an earlier ./run has left to end");
			if (!haveEnded(left, Child.ORPHANED.plusSeconds(10))) {
				endByForce(left);
			}
			progress.end();
		}
	}

	private static void endByForce(List<ProcessHandle> left) throws InterruptedException {
		left.forEach(ProcessHandle::destroyForcibly);
		if (!haveEnded(left, Duration.ofSeconds(30))) {
			throw new IllegalStateException("What an earlier ./run has left does not end: look at the processes %s."
				.formatted(left.stream().filter(ProcessHandle::isAlive).map(ProcessHandle::pid).toList()));
		}
	}

	private static boolean haveEnded(List<ProcessHandle> processes, Duration limit) throws InterruptedException {
		long start = System.nanoTime();
		while (processes.stream().anyMatch(ProcessHandle::isAlive)) {
			if (System.nanoTime() - start > limit.toNanos()) {
				return false;
			}
			Thread.sleep(100);
		}
		return true;
	}

	/**
	 * The process of a line, if it still runs; a line may be cut short.
	 */
	private static Optional<ProcessHandle> running(String line) {
		Matcher pidAndStart = Pattern.compile("(\\d{1,18}) (\\S+)").matcher(line);
		return pidAndStart.matches() ? ProcessHandle.of(Long.parseLong(pidAndStart.group(1)))
			.filter((process) -> process.info().startInstant().isPresent()
					&& start(process).equals(pidAndStart.group(2)))
				: Optional.empty();
	}

	private static String start(ProcessHandle process) {
		return process.info().startInstant().map(Instant::toString).orElse("?");
	}

}
