package jobs.kafkatomongo.mongo;

import java.util.concurrent.TimeUnit;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoDatabase;
import jobs.chassis.operations.Backend;
import jobs.kafkatomongo.limits.Limits;
import org.bson.Document;

import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Asks MongoDB every two seconds whether it answers, and asks again before it calls
 * MongoDB dead: one connection that ended is no outage. Boot's indicator would ask at
 * each probe, need rights on all databases, and log a stack trace each time.
 */
@Component("mongoHealthIndicator")
class MongoHealth extends Backend {

	private static final Document PING = new Document("ping", 1);

	private final MongoDatabase database;

	MongoHealth(MongoDatabaseFactory mongo) {
		super("MongoDB");
		// both questions of a check together take no longer than a query
		this.database = mongo.getMongoDatabase().withTimeout(Limits.QUERY_TIME.toMillis() / 2, TimeUnit.MILLISECONDS);
	}

	@Override
	public String part() {
		return "mongo";
	}

	@Scheduled(fixedDelay = 2, timeUnit = TimeUnit.SECONDS)
	void check() {
		try {
			ask();
			up();
		}
		catch (MongoCommandException ex) {
			down("MongoDB answers: " + ex.getErrorMessage());
		}
		catch (MongoSecurityException ex) {
			down("MongoDB does not accept the credentials of this service");
		}
		catch (MongoException ex) {
			down("MongoDB does not answer");
		}
	}

	private void ask() {
		try {
			this.database.runCommand(PING);
		}
		catch (MongoSocketException | MongoTimeoutException | MongoConnectionPoolClearedException ex) {
			this.database.runCommand(PING);
		}
	}

}
