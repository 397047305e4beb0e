package jobs.chassis.http;

import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.ProtocolHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With Tomcat itself. {@code ServiceTests} has the problems of a service that is up.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProblemReportValveTests {

	private final Tomcat tomcat = new Tomcat();

	@TempDir
	private Path folder;

	private void start(ProtocolHandler protocol) throws Exception {
		this.tomcat.setBaseDir(this.folder.toString());
		((StandardHost) this.tomcat.getHost()).setErrorReportValveClass(BoundedHttp.ProblemReportValve.class.getName());
		Connector connector = new Connector(protocol);
		connector.setPort(0);
		connector.setProperty("maxHttpRequestHeaderSize", "8192");
		this.tomcat.setConnector(connector);
		this.tomcat.start();
	}

	@AfterEach
	void stop() throws Exception {
		this.tomcat.stop();
		this.tomcat.destroy();
	}

	/**
	 * A client takes 404 for a mistake of its own, and does not send the job again.
	 */
	@Test
	void answersWithUnavailableOnceTheServiceHasStoppedBehindIt() throws Exception {
		start(new ImpatientHttpProtocol());

		requireStopping(post());
	}

	/**
	 * Tomcat reads no headers then, and takes the request for one without a host: 400.
	 */
	@Test
	void answersWithUnavailableWhenTheServiceStopsBehindTheRequestLine() throws Exception {
		start(new PausedBehindTheRequestLine());

		requireStopping(post());
	}

	/** Each gets a status and a sentence, and never a text of its own. */
	@ParameterizedTest
	@CsvSource(textBlock = """
			GET / HTTP/1.1|Host: x|A: LONG | 431 | larger than 8192 bytes
			GET /LONG HTTP/1.1|Host: x | 431 | larger than 8192 bytes
			GET / HTTP/1.1|Host: xMANY | 431 | more than 100 header fields
			GET / HTTP/1.1 | 400 | Host is missing
			GET / HTTP/1.1|Host: x|Host: y | 400 | more than one header Host
			GET / HTTP/1.1|Host: x_%%secret | 400 | header field is malformed
			GET / HTTP/1.1|Host: x|A secret: b | 400 | header field is malformed
			GET / HTTP/1.1|Host: x|secret | 400 | header field is malformed
			POST / HTTP/1.1|Host: x|Content-Length: 1|Content-Length: 2 | 400 | Content-Length must be one number
			POST / HTTP/1.1|Host: x|Content-Length: -1 | 400 | Content-Length must be one number
			POST / HTTP/1.1|Host: x|Transfer-Encoding: gzip | 501 | Transfer-Encoding that is known here is chunked
			POST / HTTP/1.1|Host: x|Expect: cake|Content-Length: 1 | 417 | 100-continue
			GET / HTTP/3.0|Host: x | 505 | HTTP/1.1
			CONNECT x:80 HTTP/1.1|Host: x | 501 | CONNECT
			G@T / HTTP/1.1|Host: x | 400 | This is no HTTP
			GET /a secret HTTP/1.1|Host: x | 400 | request line is malformed
			GET /<secret> HTTP/1.1|Host: x | 400 | request line is malformed
			GET /%zz HTTP/1.1|Host: x | 400 | The path is malformed
			GET /a%2fb HTTP/1.1|Host: x | 400 | The path is malformed
			GET /%ff HTTP/1.1|Host: x | 400 | The path is malformed
			GET http://secret/ HTTP/1.1|Host: x | 400 | is of another Host
			""", delimiterString = " | ")
	void saysWhatTomcatRefuses(String head, int status, String detail) throws Exception {
		start(new ImpatientHttpProtocol());
		this.tomcat.addContext("", this.folder.toString());

		String answer = send(
				head.replace("LONG", "a".repeat(9000)).replace("MANY", "|A: b".repeat(150)).replace("|", "\r\n"));

		assertThat(answer).startsWith("HTTP/1.1 " + status).contains("application/problem+json", detail);
		assertThat(answer).doesNotContain("secret");
	}

	/**
	 * Heads of 4 to 8 KB come from tokens with many roles, and from cookies of others.
	 */
	@Test
	void takesAHeadOfSevenKilobytes() throws Exception {
		start(new ImpatientHttpProtocol());
		this.tomcat.addContext("", this.folder.toString());

		assertThat(send("GET / HTTP/1.1\r\nHost: x\r\nCookie: " + "a".repeat(7000))).startsWith("HTTP/1.1 404");
	}

	/** A client would not repeat what it takes for a mistake of its own. */
	@Test
	void takesNoFaultOfAServletForOneOfTheHead() throws Exception {
		start(new ImpatientHttpProtocol());
		Context context = this.tomcat.addContext("", this.folder.toString());
		Tomcat.addServlet(context, "faulty", new HttpServlet() {

			@Override
			protected void doGet(HttpServletRequest request, HttpServletResponse response) {
				throw new IllegalStateException("A fault of ours");
			}

		}).addMapping("/");

		assertThat(send("GET / HTTP/1.1\r\nHost: x")).startsWith("HTTP/1.1 500").doesNotContain("header fields");
	}

	private String send(String head) throws Exception {
		try (Socket socket = new Socket("127.0.0.1", this.tomcat.getConnector().getLocalPort())) {
			socket.setSoTimeout(20_000);
			socket.getOutputStream()
				.write((head + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
		}
	}

	private HttpResponse<String> post() throws Exception {
		URI jobs = URI.create("http://127.0.0.1:%d/jobs".formatted(this.tomcat.getConnector().getLocalPort()));
		try (HttpClient client = HttpClient.newHttpClient()) {
			return client.send(HttpRequest.newBuilder(jobs).POST(BodyPublishers.ofString("{}")).build(),
					BodyHandlers.ofString());
		}
	}

	private static void requireStopping(HttpResponse<String> answer) {
		assertThat(answer.statusCode()).isEqualTo(503);
		assertThat(answer.headers().firstValue("Retry-After")).contains("1");
		assertThat(answer.body()).contains("Stopping");
	}

	/** Is paused for good once a request has begun. */
	private static final class PausedBehindTheRequestLine extends ImpatientHttpProtocol {

		private final AtomicInteger looks = new AtomicInteger();

		@Override
		public boolean isPaused() {
			return this.looks.getAndIncrement() > 0;
		}

	}

}
