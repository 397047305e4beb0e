package jobs.endtoend.pair;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A connection to rest-to-kafka that keeps what was answered before it broke off, and
 * waits for no answer longer than 15 s (the JDK's client does neither).
 */
public final class Client implements AutoCloseable {

	private static final int TIMEOUT_MILLIS = 15_000;

	private final int port;

	private final Access access;

	private @Nullable Socket socket;

	private @Nullable InputStream in;

	public Client(int port, Access access) {
		this.port = port;
		this.access = access;
	}

	/**
	 * Sends a request and reads its answer, as far as it comes.
	 */
	public Answer post(String path, String type, @Nullable String key, byte[] body) {
		int status = 0;
		ByteArrayOutputStream text = new ByteArrayOutputStream();
		try {
			InputStream in = connect();
			write("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s%s\r\n"
				.formatted(path, type, body.length, this.access.header(),
						(key != null) ? "Idempotency-Key: " + key + "\r\n" : "")
				.getBytes(StandardCharsets.US_ASCII), body);
			int answered = Integer.parseInt(line(in).split(" ")[1]);
			long length = -1;
			boolean chunked = false;
			boolean close = false;
			for (String header = line(in); !header.isEmpty(); header = line(in)) {
				String lower = header.toLowerCase();
				if (lower.startsWith("content-length:")) {
					length = Long.parseLong(lower.substring(15).strip());
				}
				chunked |= lower.startsWith("transfer-encoding:");
				close |= lower.equals("connection: close");
			}
			status = answered;
			if (chunked) {
				readChunks(in, text);
			}
			else {
				read(in, Math.max(0, length), text);
			}
			if (close) {
				close();
			}
			return new Answer(status, lines(text), true);
		}
		catch (IOException | RuntimeException ex) {
			close();
			return new Answer(status, lines(text), false);
		}
	}

	private InputStream connect() throws IOException {
		InputStream in = this.in;
		if (in == null) {
			Socket socket = this.access.connect(this.port, TIMEOUT_MILLIS);
			this.socket = socket;
			in = new BufferedInputStream(socket.getInputStream());
			this.in = in;
		}
		return in;
	}

	private void write(byte[] head, byte[] body) throws IOException {
		Socket socket = this.socket;
		if (socket == null) {
			throw new EOFException();
		}
		byte[] request = new byte[head.length + body.length];
		System.arraycopy(head, 0, request, 0, head.length);
		System.arraycopy(body, 0, request, head.length, body.length);
		socket.getOutputStream().write(request);
	}

	private static void readChunks(InputStream in, ByteArrayOutputStream text) throws IOException {
		for (int size = chunkSize(in); size > 0; size = chunkSize(in)) {
			read(in, size, text);
			line(in);
		}
		line(in);
	}

	private static void read(InputStream in, long length, ByteArrayOutputStream text) throws IOException {
		for (long i = 0; i < length; i++) {
			int next = in.read();
			if (next < 0) {
				throw new EOFException();
			}
			text.write(next);
		}
	}

	/**
	 * Reads the lines of a chunked body as they come.
	 */
	public static void readLines(InputStream in, Consumer<String> each) throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int size = chunkSize(in); size > 0; size = chunkSize(in)) {
			for (byte next : in.readNBytes(size)) {
				if (next == '\n') {
					each.accept(line.toString(StandardCharsets.UTF_8));
					line.reset();
				}
				else {
					line.write(next);
				}
			}
			line(in);
		}
	}

	public static int chunkSize(InputStream in) throws IOException {
		return Integer.parseInt(line(in), 16);
	}

	/**
	 * Reads a line of a head, or the one that tells the size of a chunk.
	 */
	public static String line(InputStream in) throws IOException {
		StringBuilder line = new StringBuilder();
		for (int next = in.read(); next != '\n'; next = in.read()) {
			if (next < 0) {
				throw new EOFException();
			}
			line.append((char) next);
		}
		return line.toString().strip();
	}

	/**
	 * The whole lines; the last one may have broken off.
	 */
	private static List<String> lines(ByteArrayOutputStream text) {
		String all = text.toString(StandardCharsets.UTF_8);
		return all.substring(0, all.lastIndexOf('\n') + 1).lines().toList();
	}

	@Override
	public void close() {
		Socket socket = this.socket;
		this.socket = null;
		this.in = null;
		try {
			if (socket != null) {
				socket.close();
			}
		}
		catch (IOException ex) {
			// it is gone either way
		}
	}

	/**
	 * What came back.
	 *
	 * @param status the status, 0 when none came
	 * @param lines the body's whole lines
	 * @param whole whether the answer came to its end
	 */
	public record Answer(int status, List<String> lines, boolean whole) {

	}

}
