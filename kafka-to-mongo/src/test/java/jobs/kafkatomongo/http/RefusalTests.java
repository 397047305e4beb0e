package jobs.kafkatomongo.http;

import java.util.List;

import jobs.testkit.BodyFirstClient;
import jobs.testkit.HostilePaths;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is refused reaches its client, also without Kafka and MongoDB.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.kafka.bootstrap-servers=127.0.0.1:1", "spring.mongodb.uri=mongodb://127.0.0.1:1/db" })
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusalTests {

	@LocalServerPort
	private int port;

	/**
	 * Most clients look at the answer only then, and lose it with a connection that was
	 * closed before.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "404 POST /nope", "405 POST /jobs", "413 POST /dead-letters/x/replay",
			"400 DELETE /dead-letters", "503 GET /jobs" })
	void answersAClientThatSendsAllFirst(String statusAndTarget) throws Exception {
		String answer = BodyFirstClient.exchange(this.port,
				statusAndTarget.substring(4)
						+ " HTTP/1.1\r\nAccept: application/json\r\nContent-Type: application/json\r\n",
				"", 36_000_000);

		assertThat(answer).startsWith("HTTP/1.1 " + statusAndTarget.substring(0, 3))
			.contains("application/problem+json");
	}

	/**
	 * Each would be some kilobytes of a trace in the log, for whoever likes to fill it.
	 */
	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void answersNoPathWithAFaultOfItsOwn(CapturedOutput output) throws Exception {
		for (String path : HostilePaths
			.of("/actuator/health", "/actuator/health/readiness", "/actuator/prometheus", "/actuator/topics",
					"/actuator", "/console", "/docs", "")
			.toList()) {
			for (String method : List.of("GET", "POST", "DELETE", "OPTIONS", "HEAD")) {
				assertThat(HostilePaths.statusLine(this.port, method, path)).as("%s %s", method, path)
					.startsWith("HTTP/1.1 ")
					.doesNotContain(" 500");
			}
		}
		assertThat(output.getAll()).doesNotContain("\tat ");
	}

}
