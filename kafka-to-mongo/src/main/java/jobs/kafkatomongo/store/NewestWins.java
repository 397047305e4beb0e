package jobs.kafkatomongo.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.document.Tombstone;
import jobs.kafkatomongo.events.StoredEvents;
import jobs.kafkatomongo.mongo.BulkWriter;
import jobs.kafkatomongo.mongo.BulkWriter.Refusal;
import jobs.kafkatomongo.mongo.PoisonCandidates;
import jobs.kafkatomongo.mongo.PoisonCandidates.Creations;
import jobs.kafkatomongo.store.StoredVersions.Standing;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/**
 * Replaces documents by newer versions: of several with one id the highest version stays,
 * in whatever order and by however many threads and services they come.
 * <p>
 * One command replaces what is older or inserts what is not there. MongoDB has no way to
 * say "unless it is newer", so it tries to insert then, and tells a duplicate of the id:
 * what is stored is read, and decides.
 */
final class NewestWins extends StoreBatch {

	private static final ReplaceOptions UPSERT = new ReplaceOptions().upsert(true);

	private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

	/** As {@link Tombstone#isOfErased} asks: somebody may have written a text there. */
	private static final BsonDocument NO_DATE = new BsonDocument("$not",
			new BsonDocument("$type", new BsonInt32(BsonType.DATE_TIME.getValue())));

	private final StoredVersions stored;

	/** The versions that are known to be stored, or a higher one, by the ids. */
	private final Map<BsonValue, Long> known = new ConcurrentHashMap<>();

	NewestWins(MongoCollection<BsonDocument> collection, StoreMetrics metrics, StoredEvents events, Creations creations,
			PoisonCandidates candidates) {
		super(collection, metrics, events, BulkWriter.inserting((records) -> replace(collection, records), creations),
				candidates);
		this.stored = new StoredVersions(collection);
	}

	private static int replace(MongoCollection<BsonDocument> collection, List<ParsedRecord> records) {
		collection.withDocumentClass(RawBsonDocument.class)
			.bulkWrite(records.stream()
				.map((parsed) -> new ReplaceOneModel<>(older(parsed), parsed.document(), UPSERT))
				.toList(), UNORDERED);
		return records.size();
	}

	/**
	 * What a document replaces: the one of its id with a lower version or, as of another
	 * program, without one. A deletion also replaces the document with its own version.
	 * An erased document stays erased.
	 */
	private static BsonDocument older(ParsedRecord parsed) {
		BsonInt64 version = new BsonInt64(parsed.version());
		BsonDocument lower = new BsonDocument("_meta.version",
				new BsonDocument("$not", new BsonDocument("$gte", version)));
		BsonDocument filter = new BsonDocument("_id", parsed.id()).append(Tombstone.ERASED_AT, NO_DATE);
		if (!parsed.isDeletion()) {
			filter.putAll(lower);
			return filter;
		}
		BsonDocument same = new BsonDocument("_meta.version", version).append(Tombstone.DELETED_AT, NO_DATE);
		return filter.append("$or", new BsonArray(List.of(lower, same)));
	}

	/** Stores the highest version of each id, and counts the others. */
	@Override
	void store(List<ParsedRecord> records) {
		List<ParsedRecord> rest = records;
		while (!rest.isEmpty()) {
			rest = storeOnePerId(rest);
		}
	}

	/** Returns the documents of which another one of their id came first. */
	private List<ParsedRecord> storeOnePerId(List<ParsedRecord> records) {
		Map<BsonValue, ParsedRecord> newest = new HashMap<>();
		records.forEach((parsed) -> newest.merge(parsed.id(), parsed, NewestWins::newer));
		List<ParsedRecord> first = new ArrayList<>();
		List<ParsedRecord> equal = new ArrayList<>();
		List<ParsedRecord> later = new ArrayList<>();
		int superseded = 0;
		for (ParsedRecord parsed : records) {
			Long known = this.known.get(parsed.id());
			if (known != null && parsed.version() < known) {
				superseded++;
			}
			else if (known != null && parsed.version() == known) {
				equal.add(parsed);
			}
			else {
				((newest.get(parsed.id()) == parsed) ? first : later).add(parsed);
			}
		}
		this.metrics.superseded(superseded);
		later.addAll(withoutDecided(equal));
		write(first);
		return later;
	}

	/** The higher version of two, of the same version the deletion, else the first. */
	private static ParsedRecord newer(ParsedRecord one, ParsedRecord other) {
		boolean isOther = (other.version() != one.version()) ? other.version() > one.version()
				: other.isDeletion() && !one.isDeletion();
		return isOther ? other : one;
	}

	/**
	 * Decides on documents that have the id and version of a stored one. Returns those of
	 * which nothing is stored any more.
	 */
	private List<ParsedRecord> withoutDecided(List<ParsedRecord> equal) {
		if (equal.isEmpty()) {
			return equal;
		}
		List<ParsedRecord> undecided = new ArrayList<>();
		Map<ParsedRecord, Standing> standings = this.stored.compare(equal);
		for (ParsedRecord parsed : equal) {
			if (!isDecided(parsed, standings)) {
				this.known.remove(parsed.id());
				undecided.add(parsed);
			}
		}
		return undecided;
	}

	@Override
	void stored(List<ParsedRecord> records) {
		records.forEach(this::know);
	}

	@Override
	List<ParsedRecord> decide(List<Refusal<ParsedRecord>> refusals) {
		List<ParsedRecord> newer = new ArrayList<>();
		Map<ParsedRecord, Standing> standings = this.stored.compare(refusals.stream().map(Refusal::document).toList());
		for (Refusal<ParsedRecord> refusal : refusals) {
			if (isDecided(refusal.document(), standings)) {
				continue;
			}
			if (refusal.isDuplicateId()) {
				newer.add(refusal.document());
			}
			else if (refusal.isDuplicate()) {
				// of another unique index
				refuse(deadLetter(refusal));
			}
			else {
				refuse(refusal);
			}
		}
		return newer;
	}

	/** Counts a document that MongoDB needs no more, or returns that it is the newest. */
	private boolean isDecided(ParsedRecord parsed, Map<ParsedRecord, Standing> standings) {
		Standing standing = standings.getOrDefault(parsed, Standing.NEWEST);
		switch (standing) {
			case NEWEST -> {
				return false;
			}
			case ERASED -> this.metrics.erased(1);
			case SUPERSEDED -> this.metrics.superseded(1);
			case SAME -> {
				this.metrics.duplicates(1);
				this.events.stored(List.of(parsed));
			}
			case CONFLICT -> refuse(StoredVersions.conflict(parsed));
		}
		if (standing != Standing.ERASED) {
			know(parsed);
		}
		return true;
	}

	private void know(ParsedRecord parsed) {
		this.known.merge(parsed.id(), parsed.version(), Math::max);
	}

}
