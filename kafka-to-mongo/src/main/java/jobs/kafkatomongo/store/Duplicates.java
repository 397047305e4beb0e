package jobs.kafkatomongo.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.mongodb.MongoException;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetter.Reason;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.document.Tombstone;
import jobs.kafkatomongo.mongo.BulkWriter.Refusal;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.conversions.Bson;

/**
 * Compares what MongoDB calls duplicates with the documents that have their ids. A
 * collection that is sharded by another field may have several of one id.
 */
record Duplicates(MongoCollection<BsonDocument> collection) {

	/** Stored documents in memory while others are compared with them. */
	private static final int COMPARED = 10;

	/**
	 * Tells the duplicates that are stored from those that are not: another document has
	 * their id, or their value in another unique index. Those of an erased document are
	 * dropped. Throws {@link MongoException} where MongoDB does not answer, and with the
	 * code of a duplicate where a stored document was deleted meanwhile: the next try
	 * stores the one that was a duplicate of it.
	 */
	Result compare(List<Refusal<ParsedRecord>> duplicates) {
		Comparison digests = compare(duplicates.stream().map(Refusal::document).toList(), ParsedRecord::hasDigestOf,
				(filter) -> this.collection.find(filter)
					.projection(Projections.include("_meta.sha256", Tombstone.ERASED_AT)));
		List<DeadLetter> refused = new ArrayList<>();
		List<ParsedRecord> differing = new ArrayList<>();
		for (Refusal<ParsedRecord> duplicate : duplicates) {
			ParsedRecord parsed = duplicate.document();
			if (digests.found().contains(parsed.id())) {
				if (!digests.same().contains(parsed) && !digests.erased().contains(parsed)) {
					differing.add(parsed);
				}
			}
			else if (duplicate.isDuplicateId()) {
				throw deleted(duplicates.size());
			}
			else {
				refused.add(new DeadLetter(parsed, Reason.MONGODB, duplicate.message(), duplicate.code()));
			}
		}
		Result others = compareFields(differing);
		refused.addAll(others.refused());
		List<ParsedRecord> stored = Stream.concat(digests.same().stream(), others.stored().stream()).toList();
		return new Result(stored, refused, digests.erased().size() + others.erased());
	}

	/**
	 * Compares documents with the fields of each document stored under their id. One may
	 * have been erased since its digest was compared.
	 */
	private Result compareFields(List<ParsedRecord> differing) {
		Comparison fields = compare(differing, ParsedRecord::hasFieldsOf,
				(filter) -> this.collection.find(filter).batchSize(COMPARED));
		if (!differing.stream().map(ParsedRecord::id).allMatch(fields.found()::contains)) {
			throw deleted(differing.size());
		}
		List<DeadLetter> conflicts = differing.stream()
			.filter((parsed) -> !fields.same().contains(parsed) && !fields.erased().contains(parsed))
			.map((parsed) -> new DeadLetter(parsed, Reason.CONFLICT,
					"Another document is stored with this id; the first one stays", null))
			.toList();
		return new Result(List.copyOf(fields.same()), conflicts, fields.erased().size());
	}

	private static Comparison compare(List<ParsedRecord> records, BiPredicate<ParsedRecord, BsonDocument> isSame,
			Function<Bson, FindIterable<BsonDocument>> find) {
		// a hash of a record would decode its document
		Comparison comparison = new Comparison(new HashSet<>(), Collections.newSetFromMap(new IdentityHashMap<>()),
				Collections.newSetFromMap(new IdentityHashMap<>()));
		if (records.isEmpty()) {
			return comparison;
		}
		Map<BsonValue, List<ParsedRecord>> byId = records.stream().collect(Collectors.groupingBy(ParsedRecord::id));
		find.apply(Filters.in("_id", byId.keySet())).forEach((stored) -> {
			BsonValue id = stored.get("_id");
			comparison.found().add(id);
			if (Tombstone.isOfErased(stored)) {
				comparison.erased().addAll(byId.getOrDefault(id, List.of()));
			}
			byId.getOrDefault(id, List.of())
				.stream()
				.filter((parsed) -> isSame.test(parsed, stored))
				.forEach(comparison.same()::add);
		});
		return comparison;
	}

	private static MongoException deleted(int duplicates) {
		return MongoErrorCodes.refused(MongoErrorCodes.DUPLICATE_KEY, duplicates, "a document was deleted meanwhile");
	}

	/**
	 * The result of a comparison.
	 *
	 * @param found the ids that are stored
	 * @param same the documents that are stored
	 * @param erased the documents of which a tombstone is stored
	 */
	private record Comparison(Set<BsonValue> found, Set<ParsedRecord> same, Set<ParsedRecord> erased) {

	}

	/**
	 * What became of duplicates.
	 *
	 * @param stored those that are stored
	 * @param refused those that are not
	 * @param erased how many were dropped, since their document was erased
	 */
	record Result(List<ParsedRecord> stored, List<DeadLetter> refused, int erased) {

	}

}
