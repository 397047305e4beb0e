package jobs.testkit;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/**
 * Paths that no client sends by accident.
 */
public final class HostilePaths {

	private static final List<String> ENDS = List.of("", "/", "/a%2fb", "/%2F", "/a%5cb", "/%5C..%5C", "/..%2f..%2fx",
			"/%00", "/%zz", "/%ff", "/%25", "/%3b", ";x=y", "/;x", "/%0d%0aX:y", "/%252f", "//", "/./", "/%2e%2e/",
			"?%zz", "?a=%zz", "?limit=%ff", "?&&=&", "/a?b=%00", "/" + "a/".repeat(300));

	private HostilePaths() {
	}

	/** Each of these endpoints with each of the ends. */
	public static Stream<String> of(String... endpoints) {
		return Stream.of(endpoints)
			.flatMap((endpoint) -> ENDS.stream().map((end) -> endpoint + end))
			.filter((path) -> path.startsWith("/"));
	}

	/** The first line of the answer to a request for a path. */
	public static String statusLine(int port, String method, String path) throws IOException {
		try (Socket socket = new Socket("127.0.0.1", port)) {
			socket.setSoTimeout(20_000);
			socket.getOutputStream()
				.write("%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".formatted(method, path)
					.getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
		}
	}

}
