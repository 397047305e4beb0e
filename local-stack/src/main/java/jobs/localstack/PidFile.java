package jobs.localstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

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
	 * Ends what was noted and still runs, within 10 s each.
	 */
	public void endLeftovers() throws IOException, InterruptedException {
		if (Files.notExists(this.file)) {
			return;
		}
		for (String line : Files.readAllLines(this.file)) {
			ProcessHandle left = running(line);
			if (left != null) {
				left.destroy();
				for (int i = 0; i < 100 && left.isAlive(); i++) {
					Thread.sleep(100);
				}
				left.destroyForcibly();
			}
		}
		Files.delete(this.file);
	}

	/**
	 * The process of a line, if it still runs; a line may be cut short.
	 */
	private static @Nullable ProcessHandle running(String line) {
		Matcher pidAndStart = Pattern.compile("(\\d{1,18}) (\\S+)").matcher(line);
		return pidAndStart.matches() ? ProcessHandle.of(Long.parseLong(pidAndStart.group(1)))
			.filter((process) -> process.info().startInstant().isPresent()
					&& start(process).equals(pidAndStart.group(2)))
			.orElse(null) : null;
	}

	private static String start(ProcessHandle process) {
		return process.info().startInstant().map(Instant::toString).orElse("?");
	}

}
