package jobs.kafkatomongo.deadletter;

import java.util.List;
import java.util.stream.Stream;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.IndexModel;
import com.mongodb.client.model.Indexes;
import jobs.chassis.operations.Warnings;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.consumption.ListenerHealth;
import jobs.kafkatomongo.document.ErasedDocuments;
import jobs.kafkatomongo.mongo.IndexKeeper;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.kafka.annotation.KafkaListener;

/** Sets up the listener and the collection of the dead letters. */
@Configuration(proxyBeanMethods = false)
class DeadLetterConfiguration {

	@Bean
	DeadLetterListener deadLetterListener(MongoDatabaseFactory mongo, Resource resource,
			KafkaToMongoProperties properties, ErasedDocuments erased, ListenerHealth health) {
		return new DeadLetterListener(
				new DeadLetterWrites(collection(mongo, resource), resource.maxSize(), properties, erased), health);
	}

	@Bean
	DeadLetterCollection deadLetterCollection(MongoDatabaseFactory mongo, Resource resource) {
		return new DeadLetterCollection(collection(mongo, resource));
	}

	@Bean
	IndexKeeper deadLetterIndexes(MongoDatabaseFactory mongo, Resource resource, Warnings warnings) {
		Bson newestFirst = Indexes.descending(DeadLetterCollection.FIRST_SEEN, "_id");
		return new IndexKeeper(mongo.getMongoDatabase(), resource.deadLetterCollection(),
				Stream
					.of(newestFirst, Indexes.compoundIndex(Indexes.ascending("state"), newestFirst),
							Indexes.compoundIndex(Indexes.ascending("job"), newestFirst),
							Indexes.compoundIndex(Indexes.ascending("reason"), newestFirst))
					.map(IndexModel::new)
					.toList(),
				warnings);
	}

	private static MongoCollection<BsonDocument> collection(MongoDatabaseFactory mongo, Resource resource) {
		return mongo.getMongoDatabase().getCollection(resource.deadLetterCollection(), BsonDocument.class);
	}

	/**
	 * Copies the dead-letter topic to MongoDB, where people can work with its records. It
	 * waits out an outage apart from the listener of the documents.
	 */
	static class DeadLetterListener {

		private final DeadLetterWrites writes;

		private final ListenerHealth health;

		DeadLetterListener(DeadLetterWrites writes, ListenerHealth health) {
			this.writes = writes;
			this.health = health;
		}

		// few in a batch: some databases read the whole collection for each of them, and
		// the driver keeps the memory of a large command for a minute
		@KafkaListener(id = "#{@resource.name() + '.dead-letters'}", groupId = "#{@resource.deadLetterGroup()}",
				topics = "#{@resource.deadLetterTopic()}", batch = "true", concurrency = "1",
				clientIdPrefix = "#{@resource.deadLettersNamed('kafka-to-mongo')}",
				properties = { "max.poll.records=5", "fetch.min.bytes=1", "fetch.max.wait.ms=500" })
		void listen(List<ConsumerRecord<byte[], byte[]>> records) {
			this.writes.keep(records);
			this.health.stored();
		}

	}

}
