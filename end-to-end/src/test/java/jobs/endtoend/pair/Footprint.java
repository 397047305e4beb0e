package jobs.endtoend.pair;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import jobs.localstack.Child;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a process takes.
 *
 * @param pid its number
 * @param threads its threads
 * @param descriptors its open files and connections
 */
public record Footprint(long pid, long threads, long descriptors) {

	/** Half of the heap that a service has here. */
	private static final long MAX_LIVE = 64_000_000;

	private static final int MARGIN = 20;

	public static Footprint of(Child service) {
		long pid = service.handle().pid();
		return new Footprint(pid, count(pid, "task"), count(pid, "fd"));
	}

	private static long count(long pid, String folder) {
		try (Stream<Path> entries = Files.list(Path.of("/proc", Long.toString(pid), folder))) {
			return entries.count();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Waits until a service takes no more than this again. It must not have been started
	 * again meanwhile.
	 */
	public void awaitIn(Child service) throws IOException {
		assertThat(service.isAlive()).isTrue();
		assertThat(service.handle().pid()).isEqualTo(this.pid);
		Awaitility.await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> {
			Footprint now = of(service);
			assertThat(now.threads()).isLessThan(this.threads + MARGIN);
			assertThat(now.descriptors()).isLessThan(this.descriptors + MARGIN);
		});
		// what was asked for before the clients were gone may be at work still
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(1, TimeUnit.SECONDS)
			.atMost(30, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(liveBytes()).isLessThan(MAX_LIVE));
	}

	/**
	 * The bytes of the objects that outlive a full collection: the last column of the
	 * last line of the histogram.
	 */
	private long liveBytes() throws IOException {
		Process jcmd = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
				Long.toString(this.pid), "GC.class_histogram")
			.start();
		String histogram = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		String total = histogram.lines().filter((line) -> line.startsWith("Total")).findFirst().orElseThrow();
		return Long.parseLong(total.split("\\s+")[2]);
	}

}
