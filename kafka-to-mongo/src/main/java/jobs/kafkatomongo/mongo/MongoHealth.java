package jobs.kafkatomongo.mongo;

import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import com.mongodb.client.MongoDatabase;
import jobs.kafkatomongo.limits.Limits;
import org.bson.Document;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Asks MongoDB every two seconds whether it answers. Boot's indicator would ask at each
 * probe, need rights on all databases, and log a stack trace each time.
 */
@Component("mongoHealthIndicator")
class MongoHealth implements HealthIndicator {

	private static final Logger logger = LoggerFactory.getLogger(MongoHealth.class);

	private static final Document PING = new Document("ping", 1);

	private final MongoDatabase database;

	private volatile Health health = Health.outOfService().withDetail("mongo", "not asked yet").build();

	MongoHealth(MongoDatabaseFactory mongo) {
		this.database = mongo.getMongoDatabase().withTimeout(Limits.QUERY_TIME.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Override
	public Health health() {
		return this.health;
	}

	@Scheduled(fixedDelay = 2, timeUnit = TimeUnit.SECONDS)
	void check() {
		Status before = this.health.getStatus();
		try {
			this.database.runCommand(PING);
			this.health = Health.up().build();
			if (!before.equals(Status.UP)) {
				logger.info("MongoDB is UP");
			}
		}
		catch (MongoException ex) {
			this.health = Health.down().build();
			if (!before.equals(Status.DOWN)) {
				logger.warn("MongoDB is DOWN: {}", ex.getMessage());
			}
		}
	}

}
