package jobs.kafkatomongo.mongo;

import java.util.concurrent.TimeUnit;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import jobs.chassis.operations.Backend;
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

	private final MongoClient client;

	private final MongoDatabase database;

	MongoHealth(MongoClient client, MongoDatabaseFactory mongo) {
		super("MongoDB");
		this.client = client;
		this.database = mongo.getMongoDatabase();
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
		catch (MongoException ex) {
			down(isRefusal(ex) ? "MongoDB does not accept the credentials of this service" : silence());
		}
	}

	private String silence() {
		MongoException unresolved = this.client.getClusterDescription().getSrvResolutionException();
		return (unresolved != null)
				? "The name in SPRING_MONGODB_URI can't be resolved: %s Look at the name, and at the name servers here, which must have SRV records for mongodb+srv"
					.formatted(unresolved.getMessage())
				: "MongoDB does not answer";
	}

	/** Asks once more where there is time left, and no answer that counts. */
	private void ask() {
		long end = System.nanoTime() + MongoConfiguration.QUERY_TIME.toNanos();
		try {
			ask(end);
		}
		catch (MongoCommandException ex) {
			throw ex;
		}
		catch (MongoException ex) {
			if (isRefusal(ex) || System.nanoTime() - end >= 0) {
				throw ex;
			}
			ask(end);
		}
	}

	private void ask(long end) {
		long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
		this.database.withTimeout(Math.max(1, left), TimeUnit.MILLISECONDS).runCommand(PING);
	}

	/** The driver also calls it so when a connection ends while it logs in. */
	private static boolean isRefusal(MongoException failure) {
		return failure instanceof MongoSecurityException && !(failure.getCause() instanceof MongoSocketException);
	}

}
