package jobs.kafkatomongo.store;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.events.StoredEvents;
import jobs.kafkatomongo.mongo.BulkWriter;
import jobs.kafkatomongo.mongo.BulkWriter.Refusal;
import jobs.kafkatomongo.mongo.PoisonCandidates;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/**
 * Inserts documents: of several with one id the first stays. All documents of one id must
 * come by one thread, in their order.
 */
final class FirstStays extends StoreBatch {

	private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

	private final Duplicates duplicates;

	/**
	 * The ids of documents that wait. A later document of such an id must not be stored
	 * first.
	 */
	private final Set<BsonValue> waitingIds = ConcurrentHashMap.newKeySet();

	/** The later documents of these ids. */
	private final Queue<ParsedRecord> behind = new ConcurrentLinkedQueue<>();

	FirstStays(MongoCollection<BsonDocument> collection, StoreMetrics metrics, StoredEvents events,
			BulkWriter.Shared shared, PoisonCandidates candidates) {
		super(collection, metrics, events, BulkWriter.inserting((records) -> insert(collection, records), shared),
				candidates);
		this.duplicates = new Duplicates(collection);
	}

	private static int insert(MongoCollection<BsonDocument> collection, List<ParsedRecord> records) {
		collection.withDocumentClass(RawBsonDocument.class)
			.insertMany(records.stream().map(ParsedRecord::document).toList(), UNORDERED);
		return records.size();
	}

	/** Stores documents in their order where they have one id. */
	@Override
	void store(List<ParsedRecord> records) {
		List<ParsedRecord> rest = records;
		while (!rest.isEmpty()) {
			Set<BsonValue> ids = new HashSet<>();
			List<ParsedRecord> first = new ArrayList<>(rest.size());
			List<ParsedRecord> later = new ArrayList<>();
			for (ParsedRecord parsed : rest) {
				BsonValue id = parsed.id();
				// as a rule none waits, and a look-up costs each document 3 % of its CPU
				// time
				if (!this.waitingIds.isEmpty() && this.waitingIds.contains(id)) {
					this.behind.add(parsed);
				}
				else {
					(ids.add(id) ? first : later).add(parsed);
				}
			}
			write(first);
			rest = later;
		}
	}

	@Override
	List<ParsedRecord> decide(List<Refusal<ParsedRecord>> refusals) {
		List<Refusal<ParsedRecord>> duplicates = new ArrayList<>();
		for (Refusal<ParsedRecord> refusal : refusals) {
			if (refusal.isDuplicate()) {
				duplicates.add(refusal);
			}
			else {
				refuse(refusal);
			}
		}
		if (!duplicates.isEmpty()) {
			Duplicates.Result result = this.duplicates.compare(duplicates);
			this.metrics.erased(result.erased());
			this.metrics.duplicates(result.stored().size());
			this.events.stored(result.stored());
			result.refused().forEach(this::refuse);
		}
		return List.of();
	}

	@Override
	void hold(BsonValue id) {
		this.waitingIds.add(id);
	}

	@Override
	void release(BsonValue id) {
		this.waitingIds.remove(id);
	}

	@Override
	List<ParsedRecord> released() {
		return drained(this.behind);
	}

}
