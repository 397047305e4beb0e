package jobs.kafkatomongo.deadletter;

import java.util.List;
import java.util.Map;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Indexes;
import jobs.chassis.kafka.TopicSettings;
import jobs.chassis.operations.Warnings;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.consumption.ListenerHealth;
import jobs.kafkatomongo.document.ErasedJobs;
import jobs.kafkatomongo.mongo.IndexKeeper;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.kafka.annotation.KafkaListener;

/** Sets up the topic and the collection of the dead letters. */
@Configuration(proxyBeanMethods = false)
class DeadLetterConfiguration {

	@Bean
	DeadLetterListener deadLetterListener(MongoDatabaseFactory mongo, KafkaToMongoProperties properties,
			ErasedJobs erased, ListenerHealth health) {
		return new DeadLetterListener(new DeadLetterWrites(collection(mongo, properties), properties, erased), health);
	}

	@Bean
	DeadLetterCollection deadLetterCollection(MongoDatabaseFactory mongo, KafkaToMongoProperties properties) {
		return new DeadLetterCollection(collection(mongo, properties));
	}

	@Bean
	IndexKeeper deadLetterIndexes(MongoDatabaseFactory mongo, KafkaToMongoProperties properties, Warnings warnings) {
		Bson newestFirst = Indexes.descending(DeadLetterCollection.FIRST_SEEN, "_id");
		return new IndexKeeper(mongo.getMongoDatabase(), properties.deadLetterCollection(),
				List.of(newestFirst, Indexes.compoundIndex(Indexes.ascending("state"), newestFirst),
						Indexes.compoundIndex(Indexes.ascending("job"), newestFirst),
						Indexes.compoundIndex(Indexes.ascending("reason"), newestFirst)),
				warnings);
	}

	private static MongoCollection<BsonDocument> collection(MongoDatabaseFactory mongo,
			KafkaToMongoProperties properties) {
		return mongo.getMongoDatabase().getCollection(properties.deadLetterCollection(), BsonDocument.class);
	}

	/** Keeps dead letters for ever, and takes records of up to 16 MiB. */
	@Bean
	TopicSettings deadLetterTopic(KafkaToMongoProperties properties) {
		return new TopicSettings(properties.deadLetterTopic(), properties.partitions(), properties.replication(),
				Math.toIntExact(properties.maxJobSize().toBytes()), Map.of("cleanup.policy", "delete", "retention.ms",
						"-1", "retention.bytes", "-1", "max.message.bytes", "16777216"));
	}

	/**
	 * Copies the dead-letter topic to MongoDB, where people can work with its records. It
	 * waits out an outage apart from the listener of the jobs.
	 */
	static class DeadLetterListener {

		private final DeadLetterWrites writes;

		private final ListenerHealth health;

		DeadLetterListener(DeadLetterWrites writes, ListenerHealth health) {
			this.writes = writes;
			this.health = health;
		}

		// few in a batch: some databases read the whole collection for each of them
		@KafkaListener(id = "dead-letters", groupId = "${spring.kafka.consumer.group-id}-dead-letters",
				topics = "${kafka-to-mongo.dead-letter-topic:jobs-topic1-dlt}", batch = "true", concurrency = "1",
				clientIdPrefix = "kafka-to-mongo-dead-letters",
				properties = { "max.poll.records=20", "fetch.min.bytes=1", "fetch.max.wait.ms=500" })
		void listen(List<ConsumerRecord<byte[], byte[]>> records) {
			this.writes.keep(records);
			this.health.stored();
		}

	}

}
