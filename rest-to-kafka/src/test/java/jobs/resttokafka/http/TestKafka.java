package jobs.resttokafka.http;

import java.util.List;

import jobs.testkit.Backends;

import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * The Kafka of this test run.
 */
@TestConfiguration(proxyBeanMethods = false)
class TestKafka {

	@Bean
	KafkaConnectionDetails kafkaOfThisTestRun() {
		return () -> List.of(Backends.get().kafka().split(","));
	}

}
