package jobs.kafkatomongo.document;

import java.time.Instant;

import org.bson.BsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/**
 * Writes a stored document as JSON, with its id first and numbers as numbers. MongoDB's
 * own writer makes {@code {"$numberDecimal": "1E+400"}} of a Decimal128.
 */
public final class DocumentJson {

	private static final JsonWriterSettings PLAIN = JsonWriterSettings.builder()
		.outputMode(JsonMode.RELAXED)
		.int64Converter((value, writer) -> writer.writeNumber(Long.toString(value)))
		.decimal128Converter((value, writer) -> {
			if (value.isFinite()) {
				writer.writeNumber(value.toString());
			}
			else {
				writer.writeString(value.toString());
			}
		})
		.dateTimeConverter((value, writer) -> writer.writeString(Instant.ofEpochMilli(value).toString()))
		.objectIdConverter((value, writer) -> writer.writeString(value.toHexString()))
		.build();

	private DocumentJson() {
	}

	/** Writes a document in one line; its id stands in a field of this name. */
	public static String write(BsonDocument stored, String idField) {
		BsonDocument document = new BsonDocument(idField, stored.get("_id"));
		stored.forEach((name, value) -> {
			if (!name.equals("_id")) {
				document.append(name, value);
			}
		});
		return document.toJson(PLAIN);
	}

	/** Writes what was posted of a document: all but {@code _id} and {@code _meta}. */
	public static String posted(BsonDocument stored) {
		BsonDocument document = new BsonDocument();
		stored.forEach((name, value) -> {
			if (!name.equals("_id") && !name.equals("_meta")) {
				document.append(name, value);
			}
		});
		return document.toJson(PLAIN);
	}

}
