package jobs.kafkatomongo.document;

import java.time.Instant;

import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * The mark that stays of a document that is gone. It has the id of the document and the
 * time, and nothing of what the document had.
 * <p>
 * Of an erased document no record is stored any more: Kafka may still deliver it, and
 * somebody may replay it. Of a deleted one the mark has the version of the deletion, and
 * only a higher version is stored again.
 */
public final class Tombstone {

	/** The path of the time of the erasure. */
	public static final String ERASED_AT = "_meta.erasedAt";

	/** The path of the time of a deletion. */
	public static final String DELETED_AT = "_meta.deletedAt";

	private Tombstone() {
	}

	/** Makes the mark of a document that a record has deleted. */
	static BsonDocument ofDeleted(String id, long version, Instant at) {
		return new BsonDocument("_id", new BsonString(id)).append("_meta",
				new BsonDocument("version", new BsonInt64(version)).append("deletedAt",
						new BsonDateTime(at.toEpochMilli())));
	}

	/** Makes the mark of a document that was erased at a time. */
	public static BsonDocument of(String id, Instant at) {
		return new BsonDocument("_id", new BsonString(id)).append("_meta",
				new BsonDocument("erasedAt", new BsonDateTime(at.toEpochMilli())));
	}

	/** Whether a document, or its {@link #ERASED_AT} alone, is that of an erased one. */
	public static boolean isOfErased(BsonDocument document) {
		return StoredMeta.hasTime(document, "erasedAt");
	}

	/**
	 * Whether a document, or {@link #ERASED_AT} and {@link #DELETED_AT} alone, is one.
	 */
	public static boolean isOne(BsonDocument document) {
		return isOfErased(document) || StoredMeta.hasTime(document, "deletedAt");
	}

	/** What has become of the document of a tombstone, and when, in words. */
	public static String words(BsonDocument tombstone) {
		return isOfErased(tombstone)
				? "was erased at %s, and is not stored again".formatted(StoredMeta.time(tombstone, "erasedAt"))
				: "was deleted at %s".formatted(StoredMeta.time(tombstone, "deletedAt"));
	}

}
