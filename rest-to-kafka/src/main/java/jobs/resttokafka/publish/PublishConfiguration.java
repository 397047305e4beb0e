package jobs.resttokafka.publish;

import java.util.Map;

import jobs.chassis.kafka.TopicSettings;
import jobs.resttokafka.RestToKafkaProperties;
import org.apache.kafka.clients.producer.ProducerConfig;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaProducerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Sets up the producer and the topic. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RestToKafkaProperties.class)
class PublishConfiguration {

	/** Bytes of a record beside the job: key, headers and Kafka's own. */
	private static final int BESIDE_A_JOB = 64 * 1024;

	/**
	 * Bytes of a request that takes batches of several partitions, also where jobs are
	 * small: the next request waits for its answer.
	 */
	private static final int REQUEST = 1024 * 1024;

	@Bean
	TopicSettings jobsTopic(RestToKafkaProperties properties) {
		return new TopicSettings(properties.topic(), properties.partitions(), properties.replication(),
				TopicSettings.retention(properties.retention()));
	}

	@Bean
	DefaultKafkaProducerFactoryCustomizer recordsOfTheSizeOfAJob(RestToKafkaProperties properties) {
		int size = Math.max(REQUEST, Math.toIntExact(properties.maxJobSize().toBytes()) + BESIDE_A_JOB);
		return (factory) -> factory.updateConfigs(Map.of(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, size));
	}

}
