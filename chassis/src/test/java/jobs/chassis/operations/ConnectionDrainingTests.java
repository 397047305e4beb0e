package jobs.chassis.operations;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** A service that stops while a client keeps its connection. */
@Tag("long")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConnectionDrainingTests {

	@Test
	void answersOnceMoreAndClosesTheConnection() throws Exception {
		ConfigurableApplicationContext service = start("5s");
		try (Connection before = new Connection(service); Connection kept = new Connection(service)) {
			assertThat(before.get("/actuator/info")).first().asString().startsWith("HTTP/1.1 200");
			assertThat(kept.get("/actuator/info")).doesNotContain("Connection: close");
			Thread stop = Thread.startVirtualThread(service::close);
			Awaitility.await()
				.atMost(20, TimeUnit.SECONDS)
				.until(() -> !before.isOpen()
						|| before.get("/actuator/health/readiness").getFirst().startsWith("HTTP/1.1 503"));

			List<String> head = kept.get("/actuator/info");

			assertThat(head.getFirst()).startsWith("HTTP/1.1 200");
			assertThat(head).contains("Connection: close");
			stop.join();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "21s", "-1s" })
	void isNotWithoutABound(String time) {
		assertThatException().isThrownBy(() -> start(time))
			.withStackTraceContaining("jobs.farewell must be 0s to 20 s");
	}

	private static ConfigurableApplicationContext start(String farewell) {
		SpringApplication application = new SpringApplicationBuilder(Service.class).build();
		return application.run("--spring.application.name=test", "--spring.config.import=classpath:chassis.yml",
				"--spring.kafka.bootstrap-servers=127.0.0.1:1", "--server.port=0", "--jobs.farewell=" + farewell,
				"--spring.autoconfigure.exclude="
						+ "org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration");
	}

	/** A connection that stays open as long as the service lets it. */
	private static final class Connection implements AutoCloseable {

		private final Socket socket;

		private final BufferedReader in;

		private boolean open = true;

		Connection(ConfigurableApplicationContext service) throws IOException {
			int port = ((ServletWebServerApplicationContext) service).getWebServer().getPort();
			this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
			this.in = new BufferedReader(
					new InputStreamReader(this.socket.getInputStream(), StandardCharsets.US_ASCII));
		}

		boolean isOpen() {
			return this.open;
		}

		/** The lines of an answer's head, whose body is left out. */
		List<String> get(String path) throws IOException {
			this.socket.getOutputStream()
				.write("HEAD %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(path)
					.getBytes(StandardCharsets.US_ASCII));
			List<String> head = new ArrayList<>();
			for (String line = this.in.readLine(); line != null && !line.isEmpty(); line = this.in.readLine()) {
				head.add(line);
			}
			this.open = !head.contains("Connection: close");
			return head;
		}

		@Override
		public void close() throws IOException {
			this.socket.close();
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Service {

	}

}
