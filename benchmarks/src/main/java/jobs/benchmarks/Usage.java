package jobs.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import jobs.localstack.Child;

/**
 * What processes have used so far, by the kernel's accounting.
 *
 * @param cpu user and system time of all their threads
 */
record Usage(Duration cpu) {

	/**
	 * Reads the CPU time, on Linux from {@code /proc/PID/stat}, in steps of 10 ms.
	 */
	static Usage of(List<Child> children) {
		Duration total = Duration.ZERO;
		for (Child child : children) {
			total = total.plus(child.handle().info().totalCpuDuration().orElse(Duration.ZERO));
		}
		return new Usage(total);
	}

	double microsSince(Usage before) {
		return this.cpu.minus(before.cpu()).toNanos() / 1000.0;
	}

	/**
	 * CPU time in ms that this machine's host has kept for others since it was started,
	 * of all CPUs, in steps of 10 ms: of Linux alone, elsewhere 0. It is what makes a p99
	 * jump from one round to the next.
	 */
	static long stolenMillis() {
		try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
			return lines.findFirst().map((line) -> Long.parseLong(line.split("\\s+")[8]) * 10).orElse(0L);
		}
		catch (IOException ex) {
			return 0;
		}
	}

	/**
	 * The largest resident set that a process has had since it started, in MiB: of Linux
	 * alone, elsewhere not a number.
	 */
	static double peakMebibytes(Child child) {
		Path status = Path.of("/proc", Long.toString(child.handle().pid()), "status");
		if (Files.notExists(status)) {
			return Double.NaN;
		}
		try (Stream<String> lines = Files.lines(status)) {
			return lines.filter((line) -> line.startsWith("VmHWM:"))
				.mapToDouble((line) -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0)
				.findFirst()
				.orElse(Double.NaN);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
