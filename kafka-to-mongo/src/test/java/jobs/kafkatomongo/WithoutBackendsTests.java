package jobs.kafkatomongo;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.mongodb.ReadPreference;
import jakarta.servlet.http.Cookie;
import jobs.kafkatomongo.pipeline.Pipelines;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Without Kafka and MongoDB the service is there, says so, and waits.
 */
@Tag("long")
@SpringBootTest(properties = { "spring.kafka.bootstrap-servers=127.0.0.1:1",
		"spring.mongodb.uri=mongodb://127.0.0.1:1/db?readPreference=secondaryPreferred" })
@AutoConfigureMockMvc
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WithoutBackendsTests {

	@Autowired
	private MockMvcTester mvc;

	@Test
	void isAliveButNotReady() {
		assertThat(this.mvc.get().uri("/actuator/health/liveness")).hasStatusOk();
		Awaitility.await()
			.atMost(20, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(this.mvc.get().uri("/actuator/health/readiness")).hasStatus(503)
				.bodyJson()
				.extractingPath("$.components['kafka', 'mongo'].status")
				.isEqualTo(List.of("DOWN", "DOWN")));
	}

	@Test
	void whatWaitsForABackendHoldsUpNothingElseThatIsScheduled(@Autowired Pipelines scheduled,
			@Autowired ThreadPoolTaskScheduler scheduler) {
		assertThat(scheduled.getScheduledTasks()).isNotEmpty()
			.hasSizeLessThanOrEqualTo(scheduler.getScheduledThreadPoolExecutor().getCorePoolSize());
	}

	@Test
	void answers503() {
		assertThat(this.mvc.get().uri("/jobs")).hasStatus(503)
			.hasHeader("Retry-After", "1")
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(this.mvc.get().uri("/jobs/x").header("Prefer", "wait=5")).hasStatus(503);
	}

	/** Another member may lack what a client was told is stored. */
	@Test
	void readsFromThePrimaryWhateverTheConnectionStringPrefers(@Autowired Pipelines pipelines) {
		assertThat(Records.collection(pipelines).getReadPreference()).isEqualTo(ReadPreference.primary());
	}

	/** Nobody reads the events of such a request, which would go on for ten minutes. */
	@Test
	void endsAHeadRequestForTheEventsOfTheConsole() {
		assertThat(this.mvc.head().uri("/console/events")).hasStatusOk()
			.hasContentTypeCompatibleWith(MediaType.TEXT_EVENT_STREAM);
	}

	/** Without a client of an issuer nobody logs in, and no filter is in the way. */
	@Test
	void offersNoLogin() {
		assertThat(this.mvc.get().uri("/console/login")).hasStatus(404);
		assertThat(this.mvc.get().uri("/oauth2/authorization/console")).hasStatus(404);
		assertThat(this.mvc.get().uri("/").cookie(new Cookie("jobs-session", "any"))).hasStatusOk()
			.doesNotContainHeader("X-Frame-Options");
	}

	/** Each holds a connection to MongoDB, of which the inserts need one, too. */
	@ParameterizedTest
	@CsvSource({ "DELETE, /dead-letters?state=open", "DELETE, /dead-letters?state=open&dry-run=true",
			"DELETE, /dead-letters/a", "POST, /dead-letters/replay?state=open&dry-run=true" })
	void workOnDeadLettersTakesFewConnections(String method, String uri) {
		List<CompletableFuture<String>> answers = IntStream.range(0, 10)
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> text(method, uri), Thread::startVirtualThread))
			.toList();

		assertThat(answers.stream().map(CompletableFuture::join)).anyMatch((text) -> text.contains("Too many"))
			.anyMatch((text) -> text.contains("MongoDB"));
	}

	private String text(String method, String uri) {
		MockHttpServletResponse response = this.mvc.method(HttpMethod.valueOf(method))
			.uri(uri)
			.exchange()
			.getResponse();
		return new String(response.getContentAsByteArray(), StandardCharsets.UTF_8);
	}

}
