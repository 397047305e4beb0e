package jobs.chassis.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.testkit.BodyFirstClient;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.ValveBase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An answer reaches a client that goes on sending, and no client sends for ever.
 */
@Tag("long")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LingeringCloseValveTests {

	private static final String ENDLESS = "Endless";

	private static final String READ = "Read";

	private static final int UPLOAD = 36_000_000;

	private static final Duration PAUSE = Duration.ofSeconds(2);

	/** Of a client without a place, and a buffer more. */
	private static final long FEW_BYTES = 2 * 1024 * 1024 + 100_000;

	private final Tomcat tomcat = new Tomcat();

	private final LingeringCloseValve draining = new LingeringCloseValve(1, Duration.ofSeconds(6), PAUSE);

	/** How many bytes the valve has read of the first request that it was done with. */
	private final CompletableFuture<Long> drained = new CompletableFuture<>();

	private int port;

	@TempDir
	private Path folder;

	@BeforeEach
	void start() throws Exception {
		this.tomcat.setBaseDir(this.folder.toString());
		this.tomcat.setPort(0);
		this.tomcat.getConnector().setProperty("connectionTimeout", "3000");
		this.tomcat.getConnector().setProperty("continueResponseTiming", "onRead");
		this.tomcat.getConnector().addLifecycleListener(this.draining);
		this.tomcat.getEngine().getPipeline().addValve(new Counting());
		this.tomcat.getEngine().getPipeline().addValve(this.draining);
		this.tomcat.getEngine().getPipeline().addValve(new Counting());
		this.tomcat.getEngine().getPipeline().addValve(new RequestLimitValve(1));
		Context context = this.tomcat.addContext("", null);
		Tomcat.addServlet(context, "refusing", new Refusing());
		context.addServletMapping("/", "refusing");
		this.tomcat.start();
		this.port = this.tomcat.getConnector().getLocalPort();
	}

	@AfterEach
	void stop() throws Exception {
		this.tomcat.stop();
		this.tomcat.destroy();
	}

	@Test
	void answersAClientThatSendsAllFirst() throws IOException {
		assertThat(BodyFirstClient.exchange(this.port, "POST / HTTP/1.1\r\n", "", UPLOAD)).startsWith("HTTP/1.1 503");
	}

	/**
	 * A place among those in service is free again as soon as the answer is written.
	 */
	@Test
	void holdsNoPlaceOfTheRequestsInService() throws IOException {
		try (Socket first = connect("Content-Length: 1000\r\n\r\n")) {
			assertThat(status(first)).isEqualTo("503");
			try (Socket second = connect("Content-Length: 0\r\n\r\n")) {
				assertThat(status(second)).isEqualTo("503");
				assertThat(rest(second)).contains("refused").doesNotContain("Too many");
			}
		}
	}

	@Test
	void cutsAClientThatSendsForEver() throws IOException {
		try (Socket socket = connect("Transfer-Encoding: chunked\r\n\r\n")) {
			String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";

			assertThat(sendUntilCut(socket, chunk, 0)).isBetween(PAUSE, Duration.ofSeconds(30));
		}
	}

	@Test
	void cutsAClientThatTrickles() throws IOException {
		try (Socket socket = connect("Transfer-Encoding: chunked\r\n\r\n")) {
			assertThat(sendUntilCut(socket, "1\r\nx\r\n", 100)).isLessThan(Duration.ofSeconds(20));
		}
	}

	/**
	 * Writing its answer has failed, and there is nothing to drain for.
	 */
	@Test
	void readsNothingFromAClientThatDoesNotRead() throws Exception {
		try (Socket socket = connect("Endless: true\r\nTransfer-Encoding: chunked\r\n\r\n")) {
			sendUntilCut(socket, "10000\r\n" + "x".repeat(0x10000) + "\r\n", 0);

			assertThat(this.drained.get(30, TimeUnit.SECONDS)).isZero();
		}
	}

	/**
	 * The first, whose answer has begun, holds the only place.
	 */
	@Test
	void readsLittleFromMoreClientsThanItHasPlacesFor() throws Exception {
		String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
		try (Socket first = connect("Transfer-Encoding: chunked\r\n\r\n")) {
			assertThat(status(first)).isEqualTo("503");
			CompletableFuture.runAsync(() -> sendUntilCut(first, chunk, 10), Thread::startVirtualThread);
			try (Socket second = connect("Transfer-Encoding: chunked\r\n\r\n")) {
				sendUntilCut(second, chunk, 0);

				assertThat(this.drained.get(30, TimeUnit.SECONDS)).isLessThan(FEW_BYTES);
			}
		}
	}

	/**
	 * Its body may never come, and what comes may be its next request.
	 */
	@Test
	void readsNothingThatAClientAsksToSend() throws IOException {
		try (Socket socket = connect("Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n")) {
			long start = System.nanoTime();

			assertThat(rest(socket)).startsWith("HTTP/1.1 503").contains("Connection: close");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PAUSE);
		}
	}

	@Test
	void waitsForAnswersToArriveWhenTheServiceStops() throws Exception {
		try (Socket socket = connect("Content-Length: 1000000\r\nConnection: close\r\n\r\n")) {
			assertThat(status(socket)).isEqualTo("503");
			CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> {
				try {
					for (int i = 0; i < 10; i++) {
						Thread.sleep(100);
						socket.getOutputStream().write(new byte[100_000]);
					}
					return rest(socket);
				}
				catch (IOException | InterruptedException ex) {
					return ex.toString();
				}
			}, Thread::startVirtualThread);

			this.tomcat.stop();

			assertThat(answer.get(20, TimeUnit.SECONDS)).endsWith("This is refused.");
		}
	}

	private Socket connect(String headers) throws IOException {
		Socket socket = new Socket("127.0.0.1", this.port);
		socket.setSoTimeout(30_000);
		socket.getOutputStream()
			.write(("POST / HTTP/1.1\r\nHost: a\r\n" + headers).getBytes(StandardCharsets.US_ASCII));
		return socket;
	}

	private static String status(Socket socket) throws IOException {
		return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII).replace("HTTP/1.1 ", "");
	}

	private static String rest(Socket socket) throws IOException {
		InputStream in = socket.getInputStream();
		StringBuilder rest = new StringBuilder();
		for (int next = in.read(); next >= 0 && !rest.toString().endsWith("refused."); next = in.read()) {
			rest.append((char) next);
		}
		return rest.toString();
	}

	private static Duration sendUntilCut(Socket socket, String text, int pauseMillis) {
		byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
		long start = System.nanoTime();
		try {
			while (System.nanoTime() - start < Duration.ofSeconds(40).toNanos()) {
				socket.getOutputStream().write(bytes);
				Thread.sleep(pauseMillis);
			}
		}
		catch (IOException | InterruptedException ex) {
			// the connection was cut
		}
		return Duration.ofNanos(System.nanoTime() - start);
	}

	/**
	 * Counts what was read; the outer one of two tells how much more it is by then.
	 */
	private final class Counting extends ValveBase {

		private Counting() {
			super(true);
		}

		@Override
		public void invoke(Request request, Response response) throws IOException, ServletException {
			getNext().invoke(request, response);
			long read = request.getCoyoteRequest().getBytesRead();
			if (request.getAttribute(READ) instanceof Long before) {
				LingeringCloseValveTests.this.drained.complete(read - before);
			}
			request.setAttribute(READ, read);
		}

	}

	/**
	 * Refuses each request, and reads no body.
	 */
	private static final class Refusing extends HttpServlet {

		@Override
		protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
			response.setStatus(503);
			while (request.getHeader(ENDLESS) != null) {
				response.getOutputStream().write(new byte[0x10000]);
			}
			response.getWriter().print("This is refused.");
		}

	}

}
