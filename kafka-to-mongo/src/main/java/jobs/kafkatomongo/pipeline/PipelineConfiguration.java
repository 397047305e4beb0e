package jobs.kafkatomongo.pipeline;

import com.mongodb.client.MongoCollection;
import jobs.contract.resources.Resource;
import org.bson.BsonDocument;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Sets up the pipeline of a resource. It is no configuration of the service, which would
 * find it otherwise.
 */
@ComponentScan({ "jobs.kafkatomongo.consumption", "jobs.kafkatomongo.deadletter", "jobs.kafkatomongo.document",
		"jobs.kafkatomongo.erasure", "jobs.kafkatomongo.events", "jobs.kafkatomongo.figures", "jobs.kafkatomongo.lag",
		"jobs.kafkatomongo.query", "jobs.kafkatomongo.replay", "jobs.kafkatomongo.store" })
@EnableKafka
@EnableScheduling
class PipelineConfiguration {

	@Bean
	MongoCollection<BsonDocument> collection(MongoDatabaseFactory mongo, Resource resource) {
		return mongo.getMongoDatabase().getCollection(resource.collection(), BsonDocument.class);
	}

}
