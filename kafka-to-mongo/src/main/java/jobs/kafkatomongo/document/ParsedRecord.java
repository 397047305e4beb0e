package jobs.kafkatomongo.document;

import java.math.BigDecimal;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonArray;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.types.Decimal128;

/**
 * A record, and the document that is stored of it ({@code _id}, posted fields,
 * {@code _meta}).
 *
 * @param record the record
 * @param document the document
 * @param id the {@code _id} of the document
 * @param version its version; 0 where documents have none
 */
public record ParsedRecord(ConsumerRecord<byte[], byte[]> record, RawBsonDocument document, BsonValue id,
		long version) {

	/** A record whose document has no version. */
	public ParsedRecord(ConsumerRecord<byte[], byte[]> record, RawBsonDocument document) {
		this(record, document, document.getString("_id"), 0);
	}

	/** Whether the record deletes the document, which is the mark of that. */
	public boolean isDeletion() {
		return this.record.value() == null;
	}

	/** The size of the document, in MongoDB's form. */
	public int bytes() {
		return this.document.getByteBuffer().remaining();
	}

	/**
	 * Whether a stored document, or its {@code _meta.sha256} alone, comes from the same
	 * bytes. The document may have been edited since.
	 */
	public boolean hasDigestOf(BsonDocument stored) {
		BsonValue digest = StoredMeta.field(this.document, "sha256");
		return digest != null && digest.equals(StoredMeta.field(stored, "sha256"));
	}

	/**
	 * Whether a stored document has the same fields, in any order. Numbers count by
	 * value, so that {@code 1.0} and {@code 1} are the same, and {@code 1e400} and
	 * {@code 10e399}.
	 */
	public boolean hasFieldsOf(BsonDocument stored) {
		return fields(stored).equals(fields(this.document.decode(new BsonDocumentCodec())));
	}

	private static BsonDocument fields(BsonDocument document) {
		BsonDocument fields = byValue(document);
		fields.remove("_id");
		fields.remove("_meta");
		return fields;
	}

	private static BsonDocument byValue(BsonDocument document) {
		BsonDocument fields = new BsonDocument();
		document.forEach((name, field) -> fields.put(name, byValue(field)));
		return fields;
	}

	private static BsonValue byValue(BsonValue value) {
		return switch (value) {
			case BsonDocument document -> byValue(document);
			case BsonArray elements -> new BsonArray(elements.stream().map(ParsedRecord::byValue).toList());
			case BsonInt32 number -> new BsonInt64(number.longValue());
			case BsonDouble number -> integer(number);
			case BsonDecimal128 number -> byValue(number);
			default -> value;
		};
	}

	private static BsonValue integer(BsonDouble number) {
		double value = number.getValue();
		// not where it is beyond 64 bits, or -0.0
		boolean is = Math.abs(value) < 0x1p63 && Double.compare(value, (long) value) == 0;
		return is ? new BsonInt64((long) value) : number;
	}

	private static BsonValue byValue(BsonDecimal128 number) {
		BigDecimal value;
		try {
			value = number.decimal128Value().bigDecimalValue().stripTrailingZeros();
		}
		catch (ArithmeticException ex) {
			// it is -0 or no number, of which there is one form
			return number;
		}
		try {
			return new BsonInt64(value.longValueExact());
		}
		catch (ArithmeticException ex) {
			return new BsonDecimal128(new Decimal128(value));
		}
	}

}
