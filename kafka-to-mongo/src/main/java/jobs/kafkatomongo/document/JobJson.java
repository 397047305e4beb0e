package jobs.kafkatomongo.document;

import java.time.Instant;

import org.bson.BsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/**
 * Writes a stored job as JSON, with its {@code id} first and numbers as numbers.
 * MongoDB's own writer makes {@code {"$numberDecimal": "1E+400"}} of a Decimal128.
 */
public final class JobJson {

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

	private JobJson() {
	}

	/** Writes a document in one line. */
	public static String write(BsonDocument stored) {
		BsonDocument job = new BsonDocument("id", stored.get("_id"));
		stored.forEach((name, value) -> {
			if (!name.equals("_id")) {
				job.append(name, value);
			}
		});
		return job.toJson(PLAIN);
	}

}
