package jobs.kafkatomongo.trial;

import jobs.kafkatomongo.mongo.MongoConfiguration;
import jobs.kafkatomongo.pipeline.ServiceResources;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * The parts of the service that a trial needs: its settings, and the clients of Kafka and
 * MongoDB.
 */
@Configuration(proxyBeanMethods = false)
@Import({ MongoConfiguration.class, ServiceResources.class })
@ImportAutoConfiguration({ DataMongoAutoConfiguration.class, KafkaAutoConfiguration.class, MongoAutoConfiguration.class,
		SslAutoConfiguration.class })
class TrialConfiguration {

}
