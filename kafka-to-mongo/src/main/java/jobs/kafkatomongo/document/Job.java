package jobs.kafkatomongo.document;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/**
 * A job on its way from a record to a document.
 *
 * @param record the record as it was consumed
 * @param document the document to store, as bytes: {@code _id}, the fields as posted and
 * {@code _meta}
 */
public record Job(ConsumerRecord<byte[], byte[]> record, RawBsonDocument document) {

	/**
	 * The {@code _id} of its document.
	 */
	public BsonValue id() {
		return this.document.getString("_id");
	}

	/**
	 * Whether a stored document comes from the same bytes. It may have been edited since.
	 * @param stored the document, or its {@code _meta.sha256} alone
	 */
	public boolean hasDigestOf(BsonDocument stored) {
		return sha256(stored).equals(sha256(this.document));
	}

	/**
	 * Whether a stored document has the same fields, in whatever order.
	 * @param stored the document
	 */
	public boolean hasFieldsOf(BsonDocument stored) {
		return fields(stored).equals(fields(this.document.decode(new BsonDocumentCodec())));
	}

	private static BsonValue sha256(BsonDocument document) {
		BsonValue meta = document.get("_meta");
		return (meta != null && meta.isDocument()) ? meta.asDocument().get("sha256", BsonNull.VALUE) : BsonNull.VALUE;
	}

	private static BsonDocument fields(BsonDocument document) {
		BsonDocument fields = new BsonDocument();
		fields.putAll(document);
		fields.remove("_id");
		fields.remove("_meta");
		return fields;
	}

}
