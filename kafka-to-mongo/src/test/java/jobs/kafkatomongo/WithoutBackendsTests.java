package jobs.kafkatomongo;

import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.MediaType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Without Kafka and MongoDB the service is there, says so, and waits.
 */
@SpringBootTest(
		properties = { "spring.kafka.bootstrap-servers=127.0.0.1:1", "spring.mongodb.uri=mongodb://127.0.0.1:1/db" })
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
				.extractingPath("$.components.kafka.status")
				.isEqualTo("DOWN"));
		assertThat(this.mvc.get().uri("/actuator/health/readiness")).bodyJson()
			.extractingPath("$.components.mongo.status")
			.isEqualTo("DOWN");
	}

	@Test
	void whatWaitsForABackendHoldsUpNothingElseThatIsScheduled(@Autowired ScheduledTaskHolder scheduled,
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

}
