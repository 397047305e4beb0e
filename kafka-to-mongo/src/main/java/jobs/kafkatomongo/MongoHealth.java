package jobs.kafkatomongo;

import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import com.mongodb.client.MongoDatabase;
import org.bson.Document;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Asks MongoDB every two seconds whether it is there, and sees to the indexes whenever it
 * has come. Boot's own indicator asks at each probe, needs rights on all databases, and
 * logs a stack trace each time.
 */
class MongoHealth implements HealthIndicator {

	private static final Logger logger = LoggerFactory.getLogger(MongoHealth.class);

	private static final Document PING = new Document("ping", 1);

	private final MongoDatabase database;

	private final StoredJobs jobs;

	private volatile Health health = Health.unknown().build();

	MongoHealth(MongoDatabase database, StoredJobs jobs) {
		this.database = database;
		this.jobs = jobs;
	}

	@Override
	public Health health() {
		return this.health;
	}

	@Scheduled(fixedDelay = 2, timeUnit = TimeUnit.SECONDS)
	void check() {
		Health before = this.health;
		Health now = ping();
		this.health = now;
		if (now.getStatus().equals(before.getStatus())) {
			return;
		}
		if (now.getStatus().equals(Status.UP)) {
			logger.info("MongoDB is UP");
			createIndexes();
		}
		else {
			logger.warn("MongoDB is DOWN {}", now.getDetails().get("error"));
		}
	}

	private Health ping() {
		try {
			this.database.runCommand(PING);
			return Health.up().build();
		}
		catch (MongoException ex) {
			return Health.down().withDetail("error", String.valueOf(ex.getMessage())).build();
		}
	}

	private void createIndexes() {
		try {
			this.jobs.createIndexes();
		}
		catch (MongoException ex) {
			logger.atWarn().addKeyValue("cause", ex.toString()).log("The indexes of GET /jobs can't be created");
		}
	}

}
