package jobs.kafkatomongo.store;

import java.time.Clock;

import jobs.chassis.kafka.TopicSettings;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.document.JobParser;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Sets up the topic of the jobs and the parser of its records. */
@Configuration(proxyBeanMethods = false)
class StoreConfiguration {

	@Bean
	JobParser jobParser(KafkaToMongoProperties properties) {
		return new JobParser(Clock.systemUTC(), Math.toIntExact(properties.maxJobSize().toBytes()));
	}

	@Bean
	TopicSettings jobsTopic(KafkaToMongoProperties properties) {
		return new TopicSettings(properties.topic(), properties.partitions(), properties.replication(),
				TopicSettings.retention(properties.retention()));
	}

}
