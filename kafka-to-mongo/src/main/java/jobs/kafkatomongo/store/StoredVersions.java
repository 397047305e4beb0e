package jobs.kafkatomongo.store;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetter.Reason;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.document.StoredMeta;
import jobs.kafkatomongo.document.Tombstone;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonValue;
import org.bson.types.Decimal128;

/** Compares documents with the versions that are stored under their ids. */
record StoredVersions(MongoCollection<BsonDocument> collection) {

	/** Stored documents in memory while others are compared with them. */
	private static final int COMPARED = 10;

	private static final BigDecimal LOWEST = BigDecimal.valueOf(Long.MIN_VALUE);

	private static final BigDecimal HIGHEST = BigDecimal.valueOf(Long.MAX_VALUE);

	/**
	 * How each document stands to the one that is stored. A document of which none is
	 * stored is left out. Throws {@link com.mongodb.MongoException} where MongoDB does
	 * not answer.
	 */
	Map<ParsedRecord, Standing> compare(List<ParsedRecord> records) {
		// a hash of a record would decode its document
		Map<ParsedRecord, Standing> standings = new IdentityHashMap<>();
		compare(records, standings, ParsedRecord::hasDigestOf, (documents) -> documents.projection(
				Projections.include(StoredMeta.VERSION, "_meta.sha256", Tombstone.ERASED_AT, Tombstone.DELETED_AT)));
		List<ParsedRecord> differing = records.stream()
			.filter((parsed) -> standings.get(parsed) == Standing.CONFLICT)
			.toList();
		// of those whose digest is another one the fields decide, by what is stored then
		differing.forEach(standings::remove);
		compare(differing, standings, ParsedRecord::hasFieldsOf, (documents) -> documents.batchSize(COMPARED));
		return standings;
	}

	private void compare(List<ParsedRecord> records, Map<ParsedRecord, Standing> standings,
			BiPredicate<ParsedRecord, BsonDocument> isSame, Query query) {
		if (records.isEmpty()) {
			return;
		}
		Map<BsonValue, List<ParsedRecord>> byId = records.stream().collect(Collectors.groupingBy(ParsedRecord::id));
		query.of(this.collection.find(Filters.in("_id", byId.keySet())))
			.forEach((stored) -> byId.getOrDefault(stored.get("_id"), List.of())
				.forEach((parsed) -> standings.put(parsed, standing(parsed, stored, isSame))));
	}

	private static Standing standing(ParsedRecord parsed, BsonDocument stored,
			BiPredicate<ParsedRecord, BsonDocument> isSame) {
		if (Tombstone.isOfErased(stored)) {
			return Standing.ERASED;
		}
		OptionalLong version = versions(stored).max();
		if (version.isEmpty() || version.getAsLong() < parsed.version()) {
			return Standing.NEWEST;
		}
		if (version.getAsLong() > parsed.version()) {
			return Standing.SUPERSEDED;
		}
		if (Tombstone.isOne(stored)) {
			return parsed.isDeletion() ? Standing.SAME : Standing.SUPERSEDED;
		}
		if (parsed.isDeletion()) {
			return Standing.NEWEST;
		}
		return isSame.test(parsed, stored) ? Standing.SAME : Standing.CONFLICT;
	}

	/**
	 * The versions that a query for {@code _meta.version} would look at. A number that
	 * somebody has written by hand counts up to the next integer.
	 */
	private static LongStream versions(BsonDocument stored) {
		List<Long> numbers = new ArrayList<>();
		StoredMeta.values(stored, "version").forEach((value) -> {
			if (value instanceof BsonDouble number) {
				// of one that is not finite the query has decided
				numbers
					.add(Double.isFinite(number.getValue()) ? up(new BigDecimal(number.getValue())) : Long.MAX_VALUE);
			}
			else if (value instanceof BsonDecimal128 number) {
				Decimal128 decimal = number.decimal128Value();
				numbers.add(decimal.isFinite() ? up(new BigDecimal(decimal.toString())) : Long.MAX_VALUE);
			}
			else if (value.isInt32() || value.isInt64()) {
				numbers.add(value.asNumber().longValue());
			}
		});
		return numbers.stream().mapToLong(Long::longValue);
	}

	private static long up(BigDecimal number) {
		BigInteger integer = number.min(HIGHEST).max(LOWEST).setScale(0, RoundingMode.CEILING).toBigInteger();
		return integer.longValueExact();
	}

	/** The dead letter of a document that stands there in another form. */
	static DeadLetter conflict(ParsedRecord parsed) {
		return new DeadLetter(parsed, Reason.CONFLICT,
				"Another document is stored with this id and this version, %d; the first one stays"
					.formatted(parsed.version()),
				null);
	}

	/** How a document stands to the one that is stored under its id. */
	enum Standing {

		/** It is newer than what is stored. */
		NEWEST,

		/** It is stored. */
		SAME,

		/** Another document with its version is stored. */
		CONFLICT,

		/**
		 * A higher version is stored, or it was deleted with this version or a higher
		 * one.
		 */
		SUPERSEDED,

		/** It was erased. */
		ERASED

	}

	/** Asks for some of the documents that are found. */
	@FunctionalInterface
	private interface Query {

		FindIterable<BsonDocument> of(FindIterable<BsonDocument> documents);

	}

}
