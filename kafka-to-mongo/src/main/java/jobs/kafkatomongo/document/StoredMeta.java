package jobs.kafkatomongo.document;

import java.time.Instant;
import java.util.stream.Stream;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Reads what {@code _meta} says of a stored document. Somebody may have edited it. */
public final class StoredMeta {

	/** The path of the version. */
	public static final String VERSION = "_meta.version";

	/** The path of the time at which MongoDB removes a document. */
	public static final String EXPIRES_AT = "_meta.expiresAt";

	private StoredMeta() {
	}

	/** The version, or {@code null} where the document has none. */
	public static @Nullable Long version(BsonDocument stored) {
		BsonValue version = field(stored, "version");
		return (version != null && version.isNumber()) ? Long.valueOf(version.asNumber().longValue()) : null;
	}

	/** A time of it, such as {@code storedAt}, or {@code null} where it has none. */
	public static @Nullable Instant time(BsonDocument stored, String name) {
		BsonValue time = field(stored, name);
		return (time != null && time.isDateTime()) ? Instant.ofEpochMilli(time.asDateTime().getValue()) : null;
	}

	/** Whether a query for a time would find one. */
	static boolean hasTime(BsonDocument stored, String name) {
		return values(stored, name).anyMatch(BsonValue::isDateTime);
	}

	/**
	 * The values that a query for a field of it would look at: it looks into arrays, too,
	 * which somebody has made of the field or of {@code _meta}.
	 */
	public static Stream<BsonValue> values(BsonDocument stored, String name) {
		return elements(stored.get("_meta")).filter(BsonValue::isDocument)
			.flatMap((meta) -> elements(meta.asDocument().get(name)));
	}

	private static Stream<BsonValue> elements(@Nullable BsonValue value) {
		return (value instanceof BsonArray array) ? array.stream() : Stream.ofNullable(value);
	}

	/** A field of it, or {@code null} where it has none. */
	static @Nullable BsonValue field(BsonDocument stored, String name) {
		BsonValue meta = stored.get("_meta");
		return (meta != null && meta.isDocument()) ? meta.asDocument().get(name) : null;
	}

}
