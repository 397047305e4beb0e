package jobs.chassis.kafka;

import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.operations.Warnings;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.core.ProducerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever somebody sets, a job is accepted only once all in-sync replicas have it.
 */
class TopicsAutoConfigurationTests {

	@ParameterizedTest
	@ValueSource(strings = { "spring.kafka.producer.acks=0", "spring.kafka.producer.acks=1",
			"spring.kafka.producer.properties.acks=1", "spring.kafka.properties.acks=0" })
	void asksAllReplicasForEachAcknowledgement(String setting) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class, TopicsAutoConfiguration.class))
			.withBean(Warnings.class, () -> new Warnings(new SimpleMeterRegistry()))
			.withBean(RequiredTopics.class,
					() -> new RequiredTopics(List.of(List.of(new TopicSettings("jobs", 1, null, 0, Map.of())))))
			.withPropertyValues("spring.kafka.bootstrap-servers=127.0.0.1:1", setting)
			.run((context) -> {
				ProducerFactory<?, ?> producers = context.getBean(ProducerFactory.class);

				assertThat(producers.getConfigurationProperties()).containsEntry(ProducerConfig.ACKS_CONFIG, "all");
			});
	}

}
