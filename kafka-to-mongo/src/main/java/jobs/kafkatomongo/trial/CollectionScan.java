package jobs.kafkatomongo.trial;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.EstimatedDocumentCountOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Sorts;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.mongo.MongoConfiguration;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * Reads a collection in the order of its ids by short queries, each of which goes on
 * where the last one ended, so that no cursor can time out. Documents of other programs,
 * whose id is no string, are left out.
 */
final class CollectionScan {

	/** Bytes of an answer, where its documents are as large as those before. */
	private static final long BATCH_BYTES = 8L * 1024 * 1024;

	/** Documents of an answer at most, one at first. */
	private static final int MOST_DOCUMENTS = 100;

	private static final Duration SHORTEST = Duration.ofMillis(10);

	/** The longest read of a trial, below the time of a query. */
	private static final Duration LONGEST = Duration.ofSeconds(4);

	private final MongoCollection<RawBsonDocument> collection;

	private @Nullable String last;

	/** As many documents as an answer may have, by the size of the last ones. */
	private int batch = 1;

	CollectionScan(MongoDatabase database, Resource resource) {
		this.collection = database.getCollection(resource.collection(), RawBsonDocument.class)
			.withTimeout(MongoConfiguration.QUERY_TIME.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** About how many documents there are. */
	long estimate() {
		return this.collection.estimatedDocumentCount(new EstimatedDocumentCountOptions());
	}

	/**
	 * Reads on, until the time of a query is over. Returns whether there may be more.
	 */
	boolean read(Consumer<RawBsonDocument> action) throws InterruptedException {
		return Retries.of(() -> query(action));
	}

	private boolean query(Consumer<RawBsonDocument> action) {
		Bson after = (this.last != null) ? Filters.gt("_id", this.last) : Filters.gte("_id", "");
		long start = System.nanoTime();
		long bytes = 0;
		int documents = 0;
		try (MongoCursor<RawBsonDocument> cursor = this.collection.find(after)
			.sort(Sorts.ascending("_id"))
			.batchSize(this.batch)
			.cursor()) {
			boolean hasNext = cursor.hasNext();
			long end = end(start);
			// what has come is read in any case
			while (hasNext && (cursor.available() > 0 || System.nanoTime() < end)) {
				RawBsonDocument one = cursor.next();
				action.accept(one);
				this.last = one.getString("_id").getValue();
				bytes += one.getByteBuffer().remaining();
				documents++;
				hasNext = cursor.available() > 0 || (System.nanoTime() < end && cursor.hasNext());
			}
			if (documents > 0) {
				this.batch = Math.clamp(BATCH_BYTES * documents / bytes, 1, MOST_DOCUMENTS);
			}
			return hasNext || System.nanoTime() >= end;
		}
	}

	/** As long again as it took to find the first, within the time of a query. */
	private static long end(long start) {
		long now = System.nanoTime();
		return Math.min(now + Math.max(now - start, SHORTEST.toNanos()), start + LONGEST.toNanos());
	}

}
