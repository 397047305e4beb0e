package jobs.kafkatomongo.mongo;

import java.util.concurrent.TimeUnit;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCollection;
import jobs.kafkatomongo.limits.KafkaToMongoProperties;
import jobs.kafkatomongo.limits.Limits;
import org.bson.BsonDocument;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.data.mongodb.MongoDatabaseFactory;

/** Sets up the connection to MongoDB and the collection of the jobs. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(KafkaToMongoProperties.class)
class MongoConfiguration {

	@Bean
	MongoCollection<BsonDocument> collection(MongoDatabaseFactory mongo, KafkaToMongoProperties properties) {
		return mongo.getMongoDatabase().getCollection(properties.collection(), BsonDocument.class);
	}

	/**
	 * Bounds waits that the driver leaves open or long; bounds in the connection string
	 * win. The time to connect stays at the driver's 10 s, because it also bounds
	 * heartbeats: a slow database must not look dead.
	 */
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	MongoClientSettingsBuilderCustomizer boundedWaits() {
		long selection = Limits.SELECTION_WAIT.toMillis();
		int socket = Math.toIntExact(Limits.SOCKET_WAIT.toMillis());
		return (settings) -> settings
			.applyToClusterSettings((cluster) -> cluster.serverSelectionTimeout(selection, TimeUnit.MILLISECONDS))
			.applyToConnectionPoolSettings(
					(pool) -> pool.maxWaitTime(selection, TimeUnit.MILLISECONDS).maxSize(Limits.CONNECTIONS))
			.applyToSocketSettings((sockets) -> sockets.readTimeout(socket, TimeUnit.MILLISECONDS));
	}

	/**
	 * Reads from the primary alone, whatever the connection string prefers: another
	 * member may lack a job that is stored, or not know that a dead letter is replayed.
	 */
	@Bean
	@Order(Ordered.LOWEST_PRECEDENCE)
	MongoClientSettingsBuilderCustomizer primaryReads() {
		return (settings) -> settings.readPreference(ReadPreference.primary());
	}

}
