package jobs.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A client that looks at the answer once it has sent its whole body, as most do: Python's
 * {@code http.client} and {@code requests}, and what sends a file with the JDK's client.
 */
public final class BodyFirstClient {

	private static final int PART = 64 * 1024;

	private BodyFirstClient() {
	}

	/**
	 * Sends a request, its whole body, and only then reads.
	 * @param head the request line and headers but for {@code Host},
	 * {@code Content-Length} and {@code Connection}, each with its line end
	 * @param start what the body begins with
	 * @param spaces how many spaces follow it
	 * @return the whole answer; throws IOException where the connection broke before it
	 */
	public static String exchange(int port, String head, String start, int spaces) throws IOException {
		try (Socket socket = new Socket("127.0.0.1", port)) {
			socket.setSoTimeout(30_000);
			OutputStream out = socket.getOutputStream();
			out.write((head + "Host: a\r\nConnection: close\r\nContent-Length: " + (start.length() + spaces)
					+ "\r\n\r\n" + start)
				.getBytes(StandardCharsets.US_ASCII));
			byte[] part = new byte[PART];
			Arrays.fill(part, (byte) ' ');
			for (int sent = 0; sent < spaces; sent += PART) {
				out.write(part, 0, Math.min(PART, spaces - sent));
			}
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
	}

}
