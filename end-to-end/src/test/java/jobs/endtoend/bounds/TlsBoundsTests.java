package jobs.endtoend.bounds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import javax.net.SocketFactory;
import javax.net.ssl.SSLSocket;

import jobs.endtoend.pair.Access;
import jobs.endtoend.pair.Footprint;
import jobs.endtoend.pair.Pair;
import jobs.testkit.Authority;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The same heap of 128 MiB with TLS, which takes 67 KB of each connection: more clients
 * than there are places stall in a handshake, a head, a body or between requests.
 */
@Tag("night")
@EnabledOnOs(OS.LINUX)
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsBoundsTests {

	private static final Authority AUTHORITY = new Authority("bounds");

	/** A third of what is set by default. */
	private static final int CONNECTIONS = 834;

	/** A beginning of a handshake, which announces 512 bytes. */
	private static final String HELLO = "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u007c";

	private static Pair pair;

	private static SocketFactory tls;

	private final List<HostileClient> clients = new ArrayList<>();

	private Footprint before;

	@BeforeAll
	static void start() throws Exception {
		Path folder = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "tls").toAbsolutePath();
		AUTHORITY.issue(folder, "server");
		tls = AUTHORITY.client(null).getSocketFactory();
		pair = new Pair(
				Map.of("SERVER_TOMCAT_CONNECTION_TIMEOUT", "3s", "REST_TO_KAFKA_BODY_TIMEOUT", "3s",
						"SERVER_SSL_BUNDLE", "http", "SPRING_SSL_BUNDLE_PEM_HTTP_KEYSTORE_CERTIFICATE",
						folder.resolve("server.crt").toString(), "SPRING_SSL_BUNDLE_PEM_HTTP_KEYSTORE_PRIVATE_KEY",
						folder.resolve("server.key").toString()),
				new Access(null, () -> "", AUTHORITY.client(null), null));
		pair.start();
	}

	@AfterAll
	static void stop() {
		pair.close();
	}

	@BeforeEach
	void measure() throws IOException {
		awaitGoodAnswers();
		this.before = Footprint.of(pair.restToKafka);
	}

	@AfterEach
	void isAsBefore() throws IOException {
		for (HostileClient client : this.clients) {
			client.close();
		}
		this.before.awaitIn(pair.restToKafka);
	}

	@Test
	void answersBesideHandshakesWithoutEnd() throws Exception {
		for (int i = 0; i < CONNECTIONS; i++) {
			HostileClient client = new HostileClient(pair.port);
			this.clients.add(client);
			if (i % 2 == 0) {
				client.send(HELLO);
			}
		}

		awaitGoodAnswers();
	}

	@Test
	void answersBesideRequestsWithoutEnd() throws Exception {
		for (int i = 0; i < CONNECTIONS; i++) {
			HostileClient client = new HostileClient(tls, pair.port);
			this.clients.add(client);
			switch (i % 3) {
				case 0 -> client.send("POST /jobs HTTP/1.1\r\nHost: a\r\nX-Stalled: ");
				case 1 -> client.post("Content-Type: application/json\r\nContent-Length: 20000\r\n\r\n{");
				default -> client.post("Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
						+ "e\r\n{\"title\":\"a\"}\n\r\n");
			}
		}

		awaitGoodAnswers();
	}

	/** Each has the buffers of TLS, of a head and of an answer. */
	@Test
	void keepsAsManyConnectionsAsItTakes() throws Exception {
		for (int i = 0; i < CONNECTIONS - 10; i++) {
			HostileClient client = new HostileClient(tls, pair.port);
			this.clients.add(client);
			client.post("Content-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"title\":\"idle\"}");
			assertThat(client.status()).isIn("202", "503");
		}

		awaitGoodAnswers();
	}

	/** Each would cost a signature, and no deadline is over it. */
	@Test
	void takesNoSecondHandshakeOnAConnection() throws Exception {
		try (SSLSocket socket = (SSLSocket) tls.createSocket("127.0.0.1", pair.port)) {
			socket.setEnabledProtocols(new String[] { "TLSv1.2" });
			socket.setSoTimeout(10_000);
			socket.startHandshake();
			socket.startHandshake();

			assertThatExceptionOfType(IOException.class).isThrownBy(() -> socket.getInputStream().read());
		}
	}

	private static void awaitGoodAnswers() {
		Awaitility.await().atMost(Duration.ofSeconds(120)).ignoreExceptionsInstanceOf(IOException.class).until(() -> {
			int good = 0;
			for (int i = 0; i < 20; i++) {
				good += (pair.post("{\"title\":\"good\"}").statusCode() == 202) ? 1 : 0;
			}
			return good == 20;
		});
	}

}
