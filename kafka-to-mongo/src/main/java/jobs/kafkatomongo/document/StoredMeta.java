package jobs.kafkatomongo.document;

import java.time.Instant;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Reads what {@code _meta} says of a stored document. Somebody may have edited it. */
public final class StoredMeta {

	/** The path of the time at which MongoDB removes a document. */
	public static final String EXPIRES_AT = "_meta.expiresAt";

	private StoredMeta() {
	}

	/** The version, or {@code null} where the document has none. */
	public static @Nullable Long version(BsonDocument stored) {
		BsonValue version = field(stored, "version");
		return (version != null && version.isNumber()) ? Long.valueOf(version.asNumber().longValue()) : null;
	}

	/** When it was stored, or {@code null} where that is unknown. */
	public static @Nullable Instant storedAt(BsonDocument stored) {
		BsonValue time = field(stored, "storedAt");
		return (time != null && time.isDateTime()) ? Instant.ofEpochMilli(time.asDateTime().getValue()) : null;
	}

	private static @Nullable BsonValue field(BsonDocument stored, String name) {
		BsonValue meta = stored.get("_meta");
		return (meta != null && meta.isDocument()) ? meta.asDocument().get(name) : null;
	}

}
