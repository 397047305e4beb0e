package jobs.kafkatomongo.mongo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * Creates the indexes of a collection, once MongoDB is there, and again after somebody
 * has dropped the collection. A build that takes longer than the driver waits goes on in
 * MongoDB.
 */
public class IndexKeeper {

	private static final Logger logger = LoggerFactory.getLogger(IndexKeeper.class);

	/** Creating an index that is there takes nothing. */
	private static final Duration AGAIN = Duration.ofMinutes(5);

	private final MongoCollection<BsonDocument> collection;

	private final List<Bson> indexes;

	private volatile Instant created = Instant.EPOCH;

	/**
	 * Prepares to create indexes.
	 * @param collection the collection
	 * @param indexes the indexes that its queries need
	 */
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
		catch (MongoException ex) {
			logger.warn("The indexes of {} can't be created now: {}", this.collection.getNamespace(), ex.getMessage());
		}
	}

}
