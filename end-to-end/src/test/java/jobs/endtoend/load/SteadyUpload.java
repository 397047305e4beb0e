package jobs.endtoend.load;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import jobs.endtoend.load.History.Outcome;
import jobs.endtoend.pair.Client;
import jobs.endtoend.pair.Postings;
import tools.jackson.databind.JsonNode;

/**
 * One upload of many lines, that come slowly. Where it breaks off, it is sent once more
 * with its key, up to where it was at once.
 */
public final class SteadyUpload {

	private static final Duration PAUSE = Duration.ofMillis(500);

	private static final int TRIES = 100;

	private final Workload workload;

	private final History history;

	private final Driver driver;

	private final int port;

	private final int first;

	private final int pastLast;

	private final Duration each;

	/** The line after the last one that has been sent. */
	private final AtomicInteger sent = new AtomicInteger();

	/**
	 * An upload.
	 * @param driver who notes the outcomes
	 * @param port where to
	 * @param first the number of the first job
	 * @param pastLast the number after the last job
	 * @param each the time from one line to the next
	 */
	public SteadyUpload(Workload workload, History history, Driver driver, int port, int first, int pastLast,
			Duration each) {
		this.workload = workload;
		this.history = history;
		this.driver = driver;
		this.port = port;
		this.first = first;
		this.pastLast = pastLast;
		this.each = each;
		this.sent.set(first);
	}

	/** How often it was sent, from the start until each line had its outcome. */
	public int run() throws InterruptedException {
		for (int tries = 1; tries <= TRIES; tries++) {
			try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
				socket.setSoTimeout(30_000);
				Thread writer = Thread.startVirtualThread(() -> write(socket));
				read(new BufferedInputStream(socket.getInputStream()));
				writer.interrupt();
			}
			catch (IOException | RuntimeException ex) {
				// broken off
			}
			if (isDone()) {
				return tries;
			}
			Thread.sleep(PAUSE);
		}
		return TRIES;
	}

	private boolean isDone() {
		for (int number = this.first; number < this.pastLast; number++) {
			if (this.history.outcome(number) != (this.workload.isBad(number) ? Outcome.FAIL : Outcome.OK)) {
				return false;
			}
		}
		return true;
	}

	private void write(Socket socket) {
		try {
			OutputStream out = socket.getOutputStream();
			out.write(("POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
					+ "Transfer-Encoding: chunked\r\nIdempotency-Key: steady-%d\r\n\r\n")
				.formatted(this.workload.seed())
				.getBytes(StandardCharsets.US_ASCII));
			for (int number = this.first; number < this.pastLast; number++) {
				if (number >= this.sent.get()) {
					Thread.sleep(this.each);
					this.sent.set(number + 1);
				}
				byte[] job = this.workload.bytes(number);
				out.write("%x\r\n".formatted(job.length + 1).getBytes(StandardCharsets.US_ASCII));
				out.write(job);
				out.write("\n\r\n".getBytes(StandardCharsets.US_ASCII));
			}
			out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
		}
		catch (IOException ex) {
			// who reads sees the end
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void read(InputStream in) throws IOException {
		if (!Client.line(in).contains(" 200")) {
			return;
		}
		while (!Client.line(in).isEmpty()) {
			// the head
		}
		AtomicInteger number = new AtomicInteger(this.first);
		Client.readLines(in, (line) -> {
			if (number.get() < this.pastLast) {
				JsonNode answer = Postings.json(line);
				this.driver.note(number.getAndIncrement(), answer.get("status").asInt(),
						answer.path("id").asString(null), line);
			}
		});
	}

}
