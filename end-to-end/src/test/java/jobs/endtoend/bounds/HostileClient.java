package jobs.endtoend.bounds;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import javax.net.SocketFactory;

import jobs.endtoend.pair.Client;

/**
 * A client that does what the JDK's can't: stall, trickle and go on for ever.
 */
final class HostileClient implements AutoCloseable {

	private static final int PACE_MILLIS = 500;

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private final Socket socket;

	private final InputStream in;

	HostileClient(int port) throws IOException {
		this(SocketFactory.getDefault(), port);
	}

	HostileClient(SocketFactory sockets, int port) throws IOException {
		this.socket = sockets.createSocket("127.0.0.1", port);
		this.socket.setSoTimeout(60_000);
		this.in = this.socket.getInputStream();
	}

	void post(String headersAndBody) throws IOException {
		send("POST /jobs HTTP/1.1\r\nHost: a\r\n" + headersAndBody);
	}

	void send(String text) throws IOException {
		this.socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Sends a text again and again, as long as the connection takes it.
	 * @param times how often at most
	 * @return how long that was
	 */
	Duration send(String text, long times) {
		long start = System.nanoTime();
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		try {
			for (long i = 0; i < times; i++) {
				this.socket.getOutputStream().write(bytes);
			}
		}
		catch (IOException ex) {
			// the connection was cut
		}
		return Duration.ofNanos(System.nanoTime() - start);
	}

	/**
	 * Sends a text every half a second until the connection is cut, a minute at most.
	 * @return how long that was
	 */
	Duration trickle(String text) throws IOException {
		long start = System.nanoTime();
		this.socket.setSoTimeout(PACE_MILLIS);
		try {
			int read = 0;
			while (read >= 0 && System.nanoTime() - start < LIMIT.toNanos()) {
				send(text);
				read = readOrTimeOut();
			}
		}
		catch (IOException ex) {
			// the connection was cut
		}
		return Duration.ofNanos(System.nanoTime() - start);
	}

	private int readOrTimeOut() throws IOException {
		try {
			return this.in.read(new byte[1024]);
		}
		catch (SocketTimeoutException ex) {
			return 0;
		}
	}

	/**
	 * Reads a byte every half a second until the connection is cut.
	 */
	Void readSlowly() throws InterruptedException {
		try {
			while (this.in.read() >= 0) {
				Thread.sleep(PACE_MILLIS);
			}
		}
		catch (IOException ex) {
			// the connection was cut
		}
		return null;
	}

	/**
	 * The status of the answer, empty when it was lost with the connection.
	 */
	String status() {
		try {
			return new String(this.in.readNBytes(12), StandardCharsets.UTF_8).replaceFirst("HTTP/1.1 ", "");
		}
		catch (IOException ex) {
			return "";
		}
	}

	/**
	 * Reads a chunked answer to its end.
	 * @return how many lines it has
	 */
	long countLines() throws IOException {
		InputStream answer = new BufferedInputStream(this.in);
		while (!Client.line(answer).isEmpty()) {
			// the head
		}
		long lines = 0;
		for (int size = Client.chunkSize(answer); size > 0; size = Client.chunkSize(answer)) {
			for (byte next : answer.readNBytes(size)) {
				lines += (next == '\n') ? 1 : 0;
			}
			Client.line(answer);
		}
		return lines;
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
