package jobs.kafkatomongo.document;

import java.time.Instant;

import jobs.contract.HeaderNames;
import jobs.contract.RefusedDocumentException;
import jobs.contract.RefusedDocumentException.Fault;
import jobs.contract.Utf8;
import jobs.contract.resources.Versions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/**
 * Reads records that delete a document: they have its id as their key, no value, and the
 * version in the header {@code version} or, without it, in their timestamp.
 */
final class Deletion {

	private Deletion() {
	}

	/**
	 * Makes the mark that is stored in the place of the document. Throws
	 * RefusedDocumentException where the record does not say what it deletes.
	 */
	static ParsedRecord parse(ConsumerRecord<byte[], byte[]> record, Instant now) throws RefusedDocumentException {
		byte[] key = record.key();
		String id = (key != null) ? Utf8.decode(key) : null;
		if (id == null || id.isEmpty()) {
			throw new RefusedDocumentException(Fault.CONTRACT,
					"The record has no value, and no key that says which document it deletes");
		}
		long version = version(record);
		BsonDocument mark = Tombstone.ofDeleted(id, version, now);
		return new ParsedRecord(record, new RawBsonDocument(mark, new BsonDocumentCodec()), new BsonString(id),
				version);
	}

	private static long version(ConsumerRecord<byte[], byte[]> record) throws RefusedDocumentException {
		Header header = record.headers().lastHeader(HeaderNames.VERSION);
		if (header == null && record.timestamp() >= 0) {
			return record.timestamp();
		}
		String text = (header != null && header.value() != null) ? Utf8.decode(header.value()) : null;
		try {
			if (text != null) {
				return Versions.parse(text);
			}
		}
		catch (IllegalArgumentException ex) {
			// it is neither
		}
		throw new RefusedDocumentException(Fault.CONTRACT,
				"The record has no value, and its header 'version' is no integer of 64 bits and no date-time");
	}

}
