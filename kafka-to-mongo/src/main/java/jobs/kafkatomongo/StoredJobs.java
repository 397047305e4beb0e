package jobs.kafkatomongo;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import com.mongodb.MongoException;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Sorts;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * Reads jobs back, newest first by the time of acceptance.
 */
class StoredJobs {

	private static final Logger logger = LoggerFactory.getLogger(StoredJobs.class);

	static final String ACCEPTED_AT = "_meta.acceptedAt";

	/** Creating an index that is there takes nothing. */
	static final Duration INDEXED_AGAIN = Duration.ofMinutes(5);

	private static final long POLL_MILLIS = 50;

	/** So many looks after a job for one whether it is hopeless. */
	private static final int HOPE = 10;

	/** Documents held at a time: a page of the largest would not fit into memory. */
	private static final int BATCH = 10;

	private static final long TIMEOUT_SECONDS = 5;

	/**
	 * Who waits asks MongoDB 20 times a second: so many may, the others are answered at
	 * once.
	 */
	private final Semaphore waiting = new Semaphore(100);

	private final MongoCollection<BsonDocument> collection;

	private final MongoCollection<BsonDocument> reading;

	private volatile Instant indexed = Instant.EPOCH;

	StoredJobs(MongoCollection<BsonDocument> collection) {
		this.collection = collection;
		this.reading = collection.withTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
	}

	/**
	 * Creates the indexes that {@link #list} needs, once MongoDB is there, and again
	 * after somebody has dropped the collection. A build that takes longer than the
	 * driver waits goes on in MongoDB.
	 */
	@Scheduled(fixedRate = 10, timeUnit = TimeUnit.SECONDS)
	void createIndexes() {
		if (this.indexed.isAfter(Instant.now().minus(INDEXED_AGAIN))) {
			return;
		}
		try {
			this.collection.createIndex(Indexes.descending(ACCEPTED_AT, "_id"));
			this.collection.createIndex(
					Indexes.compoundIndex(Indexes.ascending("company"), Indexes.descending(ACCEPTED_AT, "_id")));
			this.indexed = Instant.now();
		}
		catch (MongoException ex) {
			logger.warn("The indexes of GET /jobs can't be created now: {}", ex.getMessage());
		}
	}

	@Nullable RawBsonDocument find(String id) {
		return this.reading.withDocumentClass(RawBsonDocument.class).find(Filters.eq("_id", id)).first();
	}

	/**
	 * Waits for a job while it is not stored.
	 * @param id the job's id
	 * @param limit the longest wait
	 * @param isHopeless whether there is nothing to wait for any more
	 * @return whether what became of it is known by then
	 * @throws InterruptedException when this service stops
	 */
	boolean await(String id, Duration limit, BooleanSupplier isHopeless) throws InterruptedException {
		boolean stored = isStored(id);
		if (!stored && this.waiting.tryAcquire()) {
			try {
				long start = System.nanoTime();
				for (int i = 0; !stored && System.nanoTime() - start < limit.toNanos(); i++) {
					if (i % HOPE == 0 && isHopeless.getAsBoolean()) {
						return true;
					}
					Thread.sleep(POLL_MILLIS);
					stored = isStored(id);
				}
			}
			finally {
				this.waiting.release();
			}
		}
		return stored;
	}

	private boolean isStored(String id) {
		return this.reading.find(Filters.eq("_id", id)).projection(Projections.include("_id")).first() != null;
	}

	/**
	 * Lists jobs, and no document of somebody else's, whose id is no string.
	 * @param after where the page before ended
	 * @param company the company whose jobs are wanted, or {@code null} for all
	 * @param limit the most jobs to list
	 * @return the jobs
	 */
	FindIterable<RawBsonDocument> list(Position after, @Nullable String company, int limit) {
		Bson filter = after.after(ACCEPTED_AT);
		return this.reading.withDocumentClass(RawBsonDocument.class)
			.find((company != null) ? Filters.and(Filters.eq("company", company), filter) : filter)
			.sort(Sorts.descending(ACCEPTED_AT, "_id"))
			.limit(limit)
			.batchSize(BATCH);
	}

}
