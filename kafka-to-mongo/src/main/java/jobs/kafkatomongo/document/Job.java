package jobs.kafkatomongo.document;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/** A job: its record, and its document ({@code _id}, posted fields, {@code _meta}). */
public record Job(ConsumerRecord<byte[], byte[]> record, RawBsonDocument document) {

	/** The {@code _id} of the document. */
	public BsonValue id() {
		return this.document.getString("_id");
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
		return sha256(stored).equals(sha256(this.document));
	}

	/** Whether a stored document has the same fields, in any order. */
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
