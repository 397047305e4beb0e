package jobs.kafkatomongo.document;

import java.time.Instant;

import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * The mark that stays of an erased document. It has the id of the document and the time
 * of the erasure, and nothing of what the document had. No record of that id is stored
 * any more: Kafka may still deliver it, and somebody may replay it.
 */
public final class Tombstone {

	/** The path of the time of the erasure. */
	public static final String ERASED_AT = "_meta.erasedAt";

	private Tombstone() {
	}

	/** Makes the mark of a document that was erased at a time. */
	public static BsonDocument of(String id, Instant at) {
		return new BsonDocument("_id", new BsonString(id)).append("_meta",
				new BsonDocument("erasedAt", new BsonDateTime(at.toEpochMilli())));
	}

	/** Whether a document, or its {@link #ERASED_AT} alone, is one. */
	public static boolean isOne(BsonDocument document) {
		BsonValue meta = document.get("_meta");
		return meta != null && meta.isDocument() && meta.asDocument().isDateTime("erasedAt");
	}

	/** When the document of a tombstone was erased. */
	public static Instant erasedAt(BsonDocument tombstone) {
		return Instant.ofEpochMilli(tombstone.getDocument("_meta").getDateTime("erasedAt").getValue());
	}

}
