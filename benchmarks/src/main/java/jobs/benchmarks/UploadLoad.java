package jobs.benchmarks;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Uploads jobs as NDJSON, and reads the outcomes meanwhile.
 */
final class UploadLoad {

	private static final int TIMEOUT_MILLIS = 30_000;

	private static final byte[] ACCEPTED = "\"status\":202".getBytes(StandardCharsets.ISO_8859_1);

	private UploadLoad() {
	}

	/**
	 * Uploads jobs.
	 * @return how long it took until the last outcome
	 * @throws IOException when not all were accepted
	 */
	static Duration run(int port, Postings postings, int jobs) throws IOException {
		return run(port, "/jobs", postings, jobs);
	}

	/** The same of the documents of a resource. */
	static Duration run(int port, String path, Postings postings, int jobs) throws IOException {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			socket.setSoTimeout(TIMEOUT_MILLIS);
			long start = System.nanoTime();
			Thread writer = Thread.ofPlatform().daemon().start(() -> write(socket, path, postings, jobs));
			long accepted = countAccepted(socket.getInputStream());
			Duration took = Duration.ofNanos(System.nanoTime() - start);
			writer.join();
			if (accepted != jobs) {
				throw new IOException("Of %d jobs of an upload %d were accepted".formatted(jobs, accepted));
			}
			return took;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	private static void write(Socket socket, String path, Postings postings, int jobs) {
		try {
			OutputStream out = socket.getOutputStream();
			long length = 0;
			for (int i = 0; i < jobs; i++) {
				length += postings.length(i) + 1;
			}
			// of 1.0, so that no borders of chunks stand in the outcomes
			out.write(
					"POST %s HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n"
						.formatted(path, length)
						.getBytes(StandardCharsets.ISO_8859_1));
			OutputStream lines = new BufferedOutputStream(out, 64 * 1024);
			for (int i = 0; i < jobs; i++) {
				lines.write(postings.job(i));
				lines.write('\n');
			}
			lines.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static long countAccepted(InputStream in) throws IOException {
		byte[] bytes = new byte[64 * 1024];
		long accepted = 0;
		int matched = 0;
		for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
			for (int i = 0; i < read; i++) {
				matched = (bytes[i] == ACCEPTED[matched]) ? matched + 1 : (bytes[i] == '"') ? 1 : 0;
				if (matched == ACCEPTED.length) {
					accepted++;
					matched = 0;
				}
			}
		}
		return accepted;
	}

}
