package jobs.chassis.kafka;

import java.util.Map;

import jobs.chassis.operations.OperationsAutoConfiguration;
import jobs.chassis.operations.Warnings;
import org.apache.kafka.clients.producer.ProducerConfig;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaProducerFactoryCustomizer;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.core.KafkaAdmin;

/** Watches the topics that a service declares as {@link RequiredTopics}. */
@AutoConfiguration(after = { KafkaAutoConfiguration.class, OperationsAutoConfiguration.class })
@ConditionalOnBean(RequiredTopics.class)
class TopicsAutoConfiguration {

	@Bean
	LazyAdmin lazyAdmin(KafkaAdmin kafka) {
		LazyAdmin admin = new LazyAdmin(kafka.getConfigurationProperties());
		// the first look at topics is what a start waits for in the end
		admin.begin();
		return admin;
	}

	@Bean("kafka")
	KafkaTopics kafkaTopics(LazyAdmin admin, RequiredTopics topics, Warnings warnings) {
		return new KafkaTopics(admin,
				topics.groups().stream().map((group) -> group.stream().map(TopicSettings::newTopic).toList()).toList(),
				warnings);
	}

	@Bean
	TopicChecks topicChecks(LazyAdmin admin, KafkaTopics kafka, RequiredTopics topics, Warnings warnings) {
		return new TopicChecks(admin, kafka, topics.all(), warnings);
	}

	@Bean
	static StuckProducer stuckProducer(ObjectProvider<KafkaTopics> topics) {
		return new StuckProducer(() -> topics.getObject().takesRecords());
	}

	/**
	 * All in-sync replicas have a record before it counts as published, also where the
	 * environment asks for less: an accepted record would be lost with one broker.
	 */
	@Bean
	DefaultKafkaProducerFactoryCustomizer acknowledgedByAllReplicas() {
		return (factory) -> factory.updateConfigs(Map.of(ProducerConfig.ACKS_CONFIG, "all"));
	}

	@Bean
	TopicsEndpoint topicsEndpoint(KafkaTopics topics) {
		return new TopicsEndpoint(topics);
	}

	/**
	 * {@code POST /actuator/topics}: an operator has a required topic created that
	 * somebody has deleted. The body names it as JSON, which a page of another site can't
	 * send.
	 */
	@Endpoint(id = "topics")
	static class TopicsEndpoint {

		private final KafkaTopics topics;

		TopicsEndpoint(KafkaTopics topics) {
			this.topics = topics;
		}

		@WriteOperation
		Map<String, Object> create(String topic) throws InterruptedException {
			this.topics.create(topic);
			return Map.of("status", this.topics.health().getStatus().getCode(), "details",
					this.topics.health().getDetails());
		}

	}

}
