package jobs.kafkatomongo.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.mongodb.client.MongoCollection;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.events.StoredEvents;
import jobs.kafkatomongo.mongo.BulkWriter;
import jobs.kafkatomongo.mongo.BulkWriter.Refusal;
import jobs.kafkatomongo.mongo.PoisonCandidates;
import jobs.kafkatomongo.store.StoredVersions.Standing;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * Replaces documents by newer versions: of several with one id the highest version stays,
 * in whatever order and by however many threads and services they come.
 * <p>
 * {@link VersionWrites} inserts what is not there, and replaces what is older. MongoDB
 * has no way to say "unless it is newer", so it tries to insert then, and tells a
 * duplicate of the id: what is stored is read, and decides.
 */
final class NewestWins extends StoreBatch {

	private final VersionWrites writes;

	private final StoredVersions stored;

	/** The versions that are known to be stored, or a higher one, by the ids. */
	private final Map<BsonValue, Long> known = new ConcurrentHashMap<>();

	NewestWins(MongoCollection<BsonDocument> collection, StoreMetrics metrics, StoredEvents events,
			VersionWrites writes, BulkWriter.Shared shared, PoisonCandidates candidates) {
		super(collection, metrics, events, BulkWriter.inserting(writes, shared), candidates);
		this.writes = writes;
		this.stored = new StoredVersions(collection);
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
		List<ParsedRecord> again = new ArrayList<>();
		List<Refusal<ParsedRecord>> ofOtherIndexes = new ArrayList<>();
		Map<ParsedRecord, Standing> standings = this.stored.compare(refusals.stream().map(Refusal::document).toList());
		for (Refusal<ParsedRecord> refusal : refusals) {
			if (isDecided(refusal.document(), standings)) {
				continue;
			}
			if (refusal.isDuplicate()) {
				again.add(refusal.document());
				boolean wasInserted = this.writes.replace(refusal.document().id());
				// of several indexes MongoDB names one
				if (!refusal.isDuplicateId() && !wasInserted) {
					ofOtherIndexes.add(refusal);
				}
			}
			else {
				refuse(refusal);
			}
		}
		if (again.size() > ofOtherIndexes.size()) {
			// what is replaced may free a value of another unique index
			return again;
		}
		ofOtherIndexes.stream().map(StoreBatch::deadLetter).forEach(this::refuse);
		return List.of();
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
