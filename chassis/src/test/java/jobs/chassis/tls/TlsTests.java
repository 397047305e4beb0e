package jobs.chassis.tls;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.function.UnaryOperator;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.access.AccessRule;
import jobs.chassis.access.AccessRules;
import jobs.testkit.Authority;
import jobs.testkit.Sha256;
import org.apache.coyote.http11.Http11NioProtocol;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A service that has nothing but the chassis and a path that tells a reader's name, over
 * TLS.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.application.name=test", "spring.config.import=classpath:chassis.yml",
				"spring.kafka.bootstrap-servers=127.0.0.1:1", "jobs.security.enabled=true", "server.ssl.bundle=http",
				"server.ssl.client-auth=want", "spring.ssl.bundle.watch.file.quiet-period=100ms",
				"management.server.port=0", "server.tomcat.connection-timeout=1s", "server.tomcat.max-connections=600",
				"spring.autoconfigure.exclude="
						+ "org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration" })
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsTests {

	private static final Authority OURS = new Authority("ours");

	/**
	 * Has the name of the first one: else clients would not show what it has issued.
	 */
	private static final Authority OTHER = new Authority("ours");

	private static final Duration RELOAD_LIMIT = Duration.ofSeconds(20);

	@TempDir
	private static Path folder;

	@Autowired
	private WebServerApplicationContext context;

	@LocalServerPort
	private int port;

	@LocalManagementPort
	private int portOfOperators;

	private final HttpClient plain = HttpClient.newHttpClient();

	@DynamicPropertySource
	static void settings(DynamicPropertyRegistry settings) throws IOException {
		OURS.issue(folder, "server");
		OURS.trust(folder.resolve("trust.crt"));
		Path keys = Files.writeString(folder.resolve("keys"), """
				{"name":"ann","certificate":"CN=Ann","roles":["jobs:read"]}
				{"name":"old","certificate":"CN=Old","roles":["jobs:read"],"expires":"2020-01-01T00:00:00Z"}
				{"name":"bob","sha256":"%s","roles":["jobs:read"]}
				""".formatted(Sha256.of("jobs_bob")));
		settings.add("jobs.security.keys-file", keys::toString);
		settings.add("spring.ssl.bundle.pem.http.keystore.certificate", folder.resolve("server.crt")::toString);
		settings.add("spring.ssl.bundle.pem.http.keystore.private-key", folder.resolve("server.key")::toString);
		settings.add("spring.ssl.bundle.pem.http.truststore.certificate", folder.resolve("trust.crt")::toString);
	}

	@BeforeEach
	void begin() throws Exception {
		OURS.issue(folder, "server");
		OURS.trust(folder.resolve("trust.crt"));
		Awaitility.await()
			.atMost(RELOAD_LIMIT)
			.ignoreExceptions()
			.until(() -> get(OURS.client(null)).statusCode() == 401 && !isTaken(OURS.client("Ann", OTHER)));
	}

	@Test
	void showsTheNewCertificateOnceItsFilesHaveChanged() throws Exception {
		OTHER.issue(folder, "server");

		Awaitility.await().atMost(RELOAD_LIMIT).until(() -> isTaken(OTHER.client(null)));
		assertThat(isTaken(OURS.client(null))).isFalse();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void keepsItsCertificateWhileTheKeyIsAnother(CapturedOutput log) throws Exception {
		String certificate = Files.readString(folder.resolve("server.crt"));
		OTHER.issue(folder, "server");
		Files.writeString(folder.resolve("server.crt"), certificate);

		Awaitility.await().atMost(RELOAD_LIMIT).until(() -> log.getAll().contains("Unexpected SSL reload error"));
		assertThat(isTaken(OURS.client(null))).isTrue();
	}

	@Test
	void knowsWhoHasACertificate() throws Exception {
		assertThat(get(OURS.client("Ann")).body()).isEqualTo("ann");
		// as X.500 compares names
		assertThat(get(OURS.client("ANN")).body()).isEqualTo("ann");
		assertThat(get(OURS.client("Ann"), (request) -> request.header("Authorization", "Bearer jobs_bob")).body())
			.isEqualTo("bob");
	}

	@ParameterizedTest
	@ValueSource(strings = { "Mallory", "Old", "Ann,O=Acme", "\u0391nn", "\uff21nn", "Ann\uff0cO\uff1dAcme" })
	void doesNotTakeACertificateThatTheKeysDoNotName(String name) throws Exception {
		HttpResponse<String> answer = get(OURS.client(name));

		assertThat(answer.statusCode()).isEqualTo(401);
		assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer error=\"invalid_token\"");
	}

	@Test
	void doesNotTakeACertificateOfAnotherAuthority() throws Exception {
		assertThat(isTaken(OURS.client("Ann", OTHER))).isFalse();
		assertThat(isTaken(OURS.client("Ann"))).isTrue();
	}

	@Test
	void trustsAnotherAuthorityOnceItsFileHasChanged() throws Exception {
		OTHER.trust(folder.resolve("trust.crt"));

		Awaitility.await().atMost(RELOAD_LIMIT).until(() -> isTaken(OURS.client("Ann", OTHER)));
		assertThat(isTaken(OURS.client("Ann"))).isFalse();
	}

	/** A connection, and the session of TLS, outlast it. */
	@Test
	@Tag("long")
	void takesNoCertificateOnceItHasExpired() throws Exception {
		try (HttpClient client = HttpClient.newBuilder()
			.sslContext(OURS.clientFor("Ann", Duration.ofSeconds(4)))
			.build()) {
			assertThat(client.send(request().build(), BodyHandlers.ofString()).body()).isEqualTo("ann");

			Awaitility.await()
				.atMost(Duration.ofSeconds(20))
				.until(() -> client.send(request().build(), BodyHandlers.ofString()).statusCode() == 401);
		}
	}

	/** Beside the service, whose probes and Prometheus have no certificates. */
	@Test
	void speaksPlainHttpOnAPortOfOperators() throws Exception {
		HttpResponse<String> health = this.plain.send(HttpRequest
			.newBuilder(URI.create("http://localhost:%d/actuator/health".formatted(this.portOfOperators)))
			.build(), BodyHandlers.ofString());

		assertThat(health.statusCode()).isEqualTo(200);
	}

	/** Whoever reaches the port may send them. */
	@Test
	void takesNoProxysWordForACertificate() throws Exception {
		HttpResponse<String> answer = get(OURS.client(null),
				(request) -> request.headers("X-Forwarded-For", "10.0.0.1", "X-SSL-Client-Cert", "CN=Ann",
						"X-Client-DN", "CN=Ann", "X-Forwarded-User", "ann", "X-Remote-User", "ann", "X-Roles",
						"jobs:read"));

		assertThat(answer.statusCode()).isEqualTo(401);
	}

	/** A client's hello by hand, since Java's own client would not send it. */
	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void doesNotSpeakOldTls(int minor) throws Exception {
		ByteBuffer hello = ByteBuffer.allocate(50);
		hello.put(new byte[] { 22, 3, 1, 0, 45, 1, 0, 0, 41, 3, (byte) minor });
		hello.put(new byte[32]);
		hello.put(new byte[] { 0, 0, 2, 0, 0x2f, 1, 0 });
		try (Socket socket = new Socket("localhost", this.port)) {
			socket.setSoTimeout(10_000);
			socket.getOutputStream().write(hello.array());

			// an alert, fatal, protocol_version
			assertThat(socket.getInputStream().readNBytes(7)).startsWith(21, 3).endsWith(2, 70);
		}
	}

	@Test
	void tellsWhoSpeaksPlainHttpSo() throws Exception {
		try (Socket socket = new Socket("localhost", this.port)) {
			socket.setSoTimeout(10_000);
			socket.getOutputStream().write("GET /who HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

			assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).contains(" 400");
		}
	}

	/** Tomcat's own time-out starts anew with each byte. */
	@Test
	@Tag("long")
	void cutsAHandshakeThatTakesTooLong() throws Exception {
		try (Socket socket = new Socket("localhost", this.port)) {
			socket.setSoTimeout(300);
			// a record of TLS, which is announced to have 512 bytes
			socket.getOutputStream().write(new byte[] { 22, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc });

			Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> isCut(socket));
		}
	}

	/** Suites of TLS 1.2 with CBC have been broken again and again. */
	@Test
	void takesNoSuiteOfTls12WithCbc() throws Exception {
		SSLParameters old = new SSLParameters(
				new String[] { "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256" },
				new String[] { "TLSv1.2" });
		SSLParameters todays = new SSLParameters(
				new String[] { "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256" },
				new String[] { "TLSv1.2" });

		assertThat(get(OURS.client(null), todays).statusCode()).isEqualTo(401);
		assertThatExceptionOfType(SSLException.class).isThrownBy(() -> get(OURS.client(null), old));
	}

	private HttpResponse<String> get(SSLContext context, SSLParameters parameters) throws Exception {
		try (HttpClient client = HttpClient.newBuilder().sslContext(context).sslParameters(parameters).build()) {
			return client.send(request().build(), BodyHandlers.ofString());
		}
	}

	private static boolean isCut(Socket socket) {
		try {
			socket.getOutputStream().write(0);
			InputStream in = socket.getInputStream();
			return in.read() < 0;
		}
		catch (java.net.SocketTimeoutException ex) {
			return false;
		}
		catch (IOException ex) {
			return true;
		}
	}

	/** Each takes 67 KB more than one without TLS. */
	@Test
	void takesAThirdOfTheConnections() {
		Http11NioProtocol protocol = (Http11NioProtocol) ((TomcatWebServer) this.context.getWebServer()).getTomcat()
			.getConnector()
			.getProtocolHandler();

		assertThat(protocol.getMaxConnections()).isEqualTo(200);
	}

	private boolean isTaken(SSLContext context) {
		try {
			get(context);
			return true;
		}
		catch (SSLException ex) {
			return false;
		}
		catch (IOException ex) {
			// TLS 1.3 tells a client of its certificate after the handshake
			return false;
		}
	}

	private HttpResponse<String> get(SSLContext context) throws IOException {
		return get(context, (request) -> request);
	}

	private HttpResponse<String> get(SSLContext context, UnaryOperator<HttpRequest.Builder> change) throws IOException {
		try (HttpClient client = HttpClient.newBuilder().sslContext(context).build()) {
			return client.send(change.apply(request()).build(), BodyHandlers.ofString());
		}
		catch (InterruptedException ex) {
			throw new IOException(ex);
		}
	}

	private HttpRequest.Builder request() {
		return HttpRequest.newBuilder(URI.create("https://localhost:%d/who".formatted(this.port)));
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Service {

		@Bean
		AccessRules rules() {
			return new AccessRules(Set.of("jobs:read", "jobs:write"), AccessRule.reading("/who", "jobs:read"));
		}

		@Bean
		ServletRegistrationBean<HttpServlet> who() {
			return new ServletRegistrationBean<>(new HttpServlet() {

				@Override
				protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
					response.getWriter().print(request.getRemoteUser());
				}

			}, "/who");
		}

	}

}
