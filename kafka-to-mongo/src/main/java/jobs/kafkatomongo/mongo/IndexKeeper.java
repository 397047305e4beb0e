package jobs.kafkatomongo.mongo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.client.MongoCollection;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * Creates the indexes of a collection once MongoDB answers, and again in case somebody
 * drops the collection. A build that outlasts the driver's wait goes on in MongoDB.
 */
public class IndexKeeper {

	private static final Logger logger = LoggerFactory.getLogger(IndexKeeper.class);

	/** The time between two rounds; creating an index that exists costs nothing. */
	private static final Duration AGAIN = Duration.ofMinutes(5);

	private final MongoCollection<BsonDocument> collection;

	private final List<Bson> indexes;

	private volatile Instant created = Instant.EPOCH;

	public IndexKeeper(MongoCollection<BsonDocument> collection, List<Bson> indexes) {
		this.collection = collection;
		this.indexes = indexes;
	}

	@Scheduled(fixedRate = 10, timeUnit = TimeUnit.SECONDS)
	void createIndexes() {
		if (this.created.isAfter(Instant.now().minus(AGAIN))) {
			return;
		}
		try {
			this.indexes.forEach(this.collection::createIndex);
			this.created = Instant.now();
		}
		catch (MongoInterruptedException ex) {
			// this service stops
			throw ex;
		}
		catch (MongoException ex) {
			logger.warn("The indexes of {} can't be created now: {}", this.collection.getNamespace(), ex.getMessage());
		}
	}

}
