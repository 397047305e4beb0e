package jobs.resttokafka.publish;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.resttokafka.limits.RefusedException;
import jobs.resttokafka.limits.RefusedException.Reason;
import jobs.resttokafka.limits.RestToKafkaProperties;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.SendResult;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PublisherTests {

	private static final Duration PUBLISH_TIMEOUT = Duration.ofMillis(300);

	private final CompletableFuture<SendResult<String, byte[]>> sent = new CompletableFuture<>();

	@SuppressWarnings("unchecked")
	private final KafkaTemplate<String, byte[]> kafka = Mockito.mock(KafkaTemplate.class);

	PublisherTests() {
		BDDMockito.given(this.kafka.send(ArgumentMatchers.<ProducerRecord<String, byte[]>>any())).willReturn(this.sent);
	}

	@Test
	void endsAWaitInTimeThoughTheProducerStillTries() {
		new ApplicationContextRunner()
			.withBean(Publisher.class, () -> new Publisher(this.kafka, properties(), new SimpleMeterRegistry()))
			.withUserConfiguration(Scheduling.class)
			.run((context) -> {
				Publisher.Publication job = context.getBean(Publisher.class).publish("id", new byte[1], null);
				AtomicBoolean done = new AtomicBoolean();
				job.whenDone(() -> done.set(true));

				assertThatExceptionOfType(RefusedException.class).isThrownBy(job::await)
					.satisfies((refusal) -> assertThat(refusal.reason()).isEqualTo(Reason.NOT_ACKNOWLEDGED));

				// the producer still holds its bytes
				assertThat(done).isFalse();
				this.sent.complete(null);
				assertThat(done).isTrue();
			});
	}

	private static RestToKafkaProperties properties() {
		return new RestToKafkaProperties("t", 1, null, Duration.ofDays(7), DataSize.ofKilobytes(256),
				DataSize.ofMegabytes(1), Duration.ofSeconds(10), PUBLISH_TIMEOUT, URI.create("http://localhost"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

}
