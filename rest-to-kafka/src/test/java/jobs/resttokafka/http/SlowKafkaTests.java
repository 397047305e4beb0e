package jobs.resttokafka.http;

import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of memory while Kafka's client takes longer than a client is made to wait.
 */
@Tag("long")
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "rest-to-kafka.publish-timeout=1s", "spring.kafka.producer.properties.linger.ms=5000",
				"spring.kafka.producer.properties.delivery.timeout.ms=10000" })
@Import(TestKafka.class)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SlowKafkaTests extends ReadyTestBase {

	@Autowired
	private MeterRegistry meters;

	@DynamicPropertySource
	static void ownTopic(DynamicPropertyRegistry registry) {
		registry.add("rest-to-kafka.topic", () -> "jobs-" + UUID.randomUUID());
	}

	@Test
	void holdsMemoryUntilTheProducerIsDone() throws Exception {
		String job = "{\"title\":\"Engineer\"}";

		assertThat(send(post(job)).statusCode()).isEqualTo(503);

		assertThat(taken()).isEqualTo(job.length());
		Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> taken() == 0);
	}

	private double taken() {
		return this.meters.get("jobs.in.flight").gauge().value();
	}

}
