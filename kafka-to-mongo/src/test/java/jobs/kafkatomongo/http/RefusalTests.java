package jobs.kafkatomongo.http;

import jobs.testkit.BodyFirstClient;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.SpringBootTest;
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

}
