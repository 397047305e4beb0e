package jobs.kafkatomongo.store;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.WriteModel;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.document.StoredMeta;
import jobs.kafkatomongo.document.Tombstone;
import jobs.kafkatomongo.mongo.BulkWriter;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.BsonWriter;
import org.bson.RawBsonDocument;
import org.bson.io.BasicOutputBuffer;

/**
 * The command by which the documents of a batch are stored that have versions: one
 * unordered bulk. MongoDB inserts three times as fast as it replaces what is perhaps not
 * there. So a document is inserted while most documents of the collection are new, and
 * replaces an older one otherwise. Both refuse it where a version stands that is not
 * older, or that the insert did not expect.
 */
final class VersionWrites implements BulkWriter.Command<ParsedRecord> {

	private static final ReplaceOptions UPSERT = new ReplaceOptions().upsert(true);

	private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

	/** Bytes that a filter has, with an id of usual length. */
	private static final int FILTER_BYTES = 192;

	private final MongoCollection<RawBsonDocument> collection;

	private final AtomicBoolean areNew;

	/** Ids that are stored, whatever most are. */
	private final Set<BsonValue> stored = ConcurrentHashMap.newKeySet();

	/**
	 * Makes the command of a batch.
	 * @param areNew whether most documents were new lately; all batches of a collection
	 * share it
	 */
	VersionWrites(MongoCollection<BsonDocument> collection, AtomicBoolean areNew) {
		this.collection = collection.withDocumentClass(RawBsonDocument.class);
		this.areNew = areNew;
	}

	/**
	 * Notes that a document of this id must replace another one.
	 * @return whether it was inserted until now
	 */
	boolean replace(BsonValue id) {
		return this.stored.add(id);
	}

	@Override
	public int write(List<ParsedRecord> records) {
		boolean areNew = this.areNew.get();
		List<WriteModel<RawBsonDocument>> writes = records.stream().map((parsed) -> write(parsed, areNew)).toList();
		try {
			count(records, this.collection.bulkWrite(writes, UNORDERED));
		}
		catch (MongoBulkWriteException ex) {
			count(records, ex.getWriteResult());
			throw ex;
		}
		return records.size();
	}

	private WriteModel<RawBsonDocument> write(ParsedRecord parsed, boolean isNew) {
		return (isNew && !this.stored.contains(parsed.id())) ? new InsertOneModel<>(parsed.document())
				: new ReplaceOneModel<>(older(parsed), parsed.document(), UPSERT);
	}

	private void count(List<ParsedRecord> records, BulkWriteResult result) {
		long unknown = records.stream().filter((parsed) -> !this.stored.contains(parsed.id())).count();
		if (unknown > 0) {
			int created = result.getInsertedCount() + result.getUpserts().size();
			this.areNew.set(2 * created >= unknown);
		}
	}

	/**
	 * What a document replaces: the one of its id with a lower version or, as of another
	 * program, without one. A deletion also replaces the document with its own version.
	 * An erased document stays erased.
	 */
	private static BsonDocument older(ParsedRecord parsed) {
		BasicOutputBuffer bytes = new BasicOutputBuffer(FILTER_BYTES);
		try (BsonBinaryWriter filter = new BsonBinaryWriter(bytes)) {
			filter.writeStartDocument();
			filter.writeString("_id", parsed.id().asString().getValue());
			// as Tombstone.isOfErased asks: somebody may have written a text there
			writeNoDate(filter, Tombstone.ERASED_AT);
			if (parsed.isDeletion()) {
				filter.writeStartArray("$or");
				filter.writeStartDocument();
				writeLower(filter, parsed.version());
				filter.writeEndDocument();
				filter.writeStartDocument();
				filter.writeInt64(StoredMeta.VERSION, parsed.version());
				writeNoDate(filter, Tombstone.DELETED_AT);
				filter.writeEndDocument();
				filter.writeEndArray();
			}
			else {
				writeLower(filter, parsed.version());
			}
			filter.writeEndDocument();
		}
		return new RawBsonDocument(bytes.getInternalBuffer(), 0, bytes.getPosition());
	}

	private static void writeLower(BsonWriter filter, long version) {
		filter.writeStartDocument(StoredMeta.VERSION);
		filter.writeStartDocument("$not");
		filter.writeInt64("$gte", version);
		filter.writeEndDocument();
		filter.writeEndDocument();
	}

	private static void writeNoDate(BsonWriter filter, String path) {
		filter.writeStartDocument(path);
		filter.writeStartDocument("$not");
		filter.writeInt32("$type", BsonType.DATE_TIME.getValue());
		filter.writeEndDocument();
		filter.writeEndDocument();
	}

}
