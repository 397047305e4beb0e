package jobs.chassis.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A service with 40 connections, whose clients keep theirs: as long as they like, since
 * each asks again before the keep-alive time-out.
 */
@Tag("long")
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = {
		"spring.application.name=test", "spring.config.import=classpath:chassis.yml",
		"spring.kafka.bootstrap-servers=127.0.0.1:1", "server.tomcat.max-connections=40",
		"server.tomcat.connection-timeout=3s", "server.tomcat.keep-alive-timeout=60s",
		"spring.autoconfigure.exclude=org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration" })
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrowdTests {

	private final List<Socket> clients = new ArrayList<>();

	@LocalServerPort
	private int port;

	@AfterEach
	void leave() throws IOException {
		for (Socket client : this.clients) {
			client.close();
		}
	}

	@Test
	void makesRoomByCuttingIdleClients() throws IOException {
		for (int i = 0; i < 40; i++) {
			assertThat(ask(enter())).startsWith("HTTP/1.1 200");
		}

		assertThat(ask(enter())).startsWith("HTTP/1.1 200");
	}

	/**
	 * What cuts clients has looked by the time that it cuts one whose head takes too
	 * long.
	 */
	@Test
	void leavesIdleClientsAloneWhileThereIsRoom() throws Exception {
		Socket idle = enter();
		assertThat(ask(idle)).startsWith("HTTP/1.1 200");
		Socket slow = enter();

		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> isCutAfter(slow, "G"));

		assertThat(ask(idle)).startsWith("HTTP/1.1 200");
	}

	private static boolean isCutAfter(Socket client, String text) {
		try {
			client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
			return client.getInputStream().available() > 0;
		}
		catch (IOException ex) {
			return true;
		}
	}

	private Socket enter() throws IOException {
		Socket client = new Socket("localhost", this.port);
		client.setSoTimeout(20_000);
		this.clients.add(client);
		return client;
	}

	/**
	 * Reads to the answer's last chunk, so that the next answer starts at its beginning.
	 */
	private static String ask(Socket client) throws IOException {
		client.getOutputStream()
			.write("GET /actuator/health/liveness HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
		InputStream in = client.getInputStream();
		StringBuilder answer = new StringBuilder();
		for (int next = in.read(); next >= 0; next = in.read()) {
			answer.append((char) next);
			if (next == '\n' && answer.toString().endsWith("\r\n0\r\n\r\n")) {
				break;
			}
		}
		return answer.toString();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Service {

	}

}
