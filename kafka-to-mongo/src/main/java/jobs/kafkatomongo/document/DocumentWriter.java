package jobs.kafkatomongo.document;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

import jobs.contract.Decimals;
import jobs.contract.JsonSink;
import jobs.contract.RefusedDocumentException;
import jobs.contract.RefusedDocumentException.Fault;
import jobs.contract.Sha256;
import jobs.contract.resources.KeyFields;
import jobs.contract.resources.KeyReader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonBinaryWriter;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.io.BasicOutputBuffer;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/**
 * Writes the document of a record while its parts go by: {@code _id}, the fields as
 * posted, and {@code _meta}.
 * <p>
 * A record whose timestamp is no time up to the year 9999, as of a producer that counts
 * microseconds, counts as accepted now. Integers become int32 or int64, and -0 a double.
 * Decimals become double where that is exact, and Decimal128 where not.
 */
final class DocumentWriter implements JsonSink, AutoCloseable {

	/** 9999-12-31T23:59:59.999Z: many programs read no later date. */
	private static final long LAST_TIME = 253_402_300_799_999L;

	/** Bytes of a document, with room for the command. */
	private static final int DOCUMENT_BYTES = 16 * 1024 * 1024 - 64 * 1024;

	private static final int ROOM_FOR_META = 512;

	private TextBuffer bytes;

	private BsonBinaryWriter bson;

	private final ConsumerRecord<byte[], byte[]> record;

	private final byte[] value;

	private final KeyReader keys;

	private final boolean hasKeys;

	/** The document's {@code _id}, unless it brings its own. */
	private final @Nullable String recordId;

	private final long now;

	private int depth;

	/**
	 * Begins the document of a record; {@code now} is in milliseconds since 1970. The
	 * document's own id is known at its end, and stands there: MongoDB puts it first.
	 */
	DocumentWriter(ConsumerRecord<byte[], byte[]> record, byte[] value, KeyFields keys, long now) {
		this.keys = keys.reader();
		this.hasKeys = keys.areAny();
		this.recordId = (keys.id() == null) ? RecordPosition.documentId(record) : null;
		this.record = record;
		this.value = value;
		this.now = now;
		this.bytes = new TextBuffer(value.length + ROOM_FOR_META);
		this.bson = new BsonBinaryWriter(this.bytes);
	}

	/** All that has to take the parts of the document: this, and what reads its keys. */
	JsonSink[] sinks() {
		return this.hasKeys ? new JsonSink[] { this.keys, this } : new JsonSink[] { this };
	}

	/**
	 * Ends the document, of which all parts were taken. Throws RefusedDocumentException
	 * where its own id, version or time is none.
	 */
	ParsedRecord finish() throws RefusedDocumentException {
		String own = this.keys.id();
		Long version = this.keys.version();
		if (own != null) {
			this.bson.writeString("_id", own);
		}
		String id = (own != null) ? own : Objects.requireNonNull(this.recordId);
		meta(version, this.keys.expiresAt());
		this.bson.writeEndDocument();
		if (this.bytes.getSize() > DOCUMENT_BYTES) {
			throw new RefusedDocumentException(Fault.CONTRACT, "The document would be larger than MongoDB's 16 MiB");
		}
		return new ParsedRecord(this.record, this.bytes.document(), new BsonString(id),
				(version != null) ? version : 0);
	}

	/** Lets go of what was written, which may be six times as large as the value. */
	@Override
	public void restart() {
		close();
		this.bytes = new TextBuffer(this.value.length + ROOM_FOR_META);
		this.bson = new BsonBinaryWriter(this.bytes);
		this.depth = 0;
	}

	@Override
	public void beginObject() {
		this.bson.writeStartDocument();
		if (this.depth == 0 && this.recordId != null) {
			this.bson.writeString("_id", this.recordId);
		}
		this.depth++;
	}

	@Override
	public void beginArray() {
		this.bson.writeStartArray();
		this.depth++;
	}

	/** The document itself goes on with what is known at its end. */
	@Override
	public void endObject() {
		this.depth--;
		if (this.depth > 0) {
			this.bson.writeEndDocument();
		}
	}

	@Override
	public void endArray() {
		this.depth--;
		this.bson.writeEndArray();
	}

	@Override
	public void name(String name) {
		this.bson.writeName(name);
	}

	@Override
	public void string(Text text) {
		this.bytes.next(text);
		this.bson.writeString("");
	}

	@Override
	public void number(long value) {
		if (value == (int) value) {
			this.bson.writeInt32((int) value);
		}
		else {
			this.bson.writeInt64(value);
		}
	}

	@Override
	public void number(Text decimal) {
		decimal(decimal.value());
	}

	@Override
	public void literal(boolean value) {
		this.bson.writeBoolean(value);
	}

	@Override
	public void literalNull() {
		this.bson.writeNull();
	}

	private void meta(@Nullable Long version, @Nullable Long expiresAt) {
		this.bson.writeStartDocument("_meta");
		if (version != null) {
			this.bson.writeInt64("version", version);
		}
		long timestamp = this.record.timestamp();
		boolean isTime = timestamp >= 0 && timestamp <= LAST_TIME;
		this.bson.writeDateTime("acceptedAt", isTime ? timestamp : this.now);
		this.bson.writeDateTime("storedAt", this.now);
		this.bson.writeString("topic", this.record.topic());
		this.bson.writeInt32("partition", this.record.partition());
		this.bson.writeInt64("offset", this.record.offset());
		this.bson.writeString("sha256", Sha256.of(this.value));
		if (timestamp > LAST_TIME) {
			this.bson.writeInt64("timestamp", timestamp);
		}
		if (expiresAt != null) {
			this.bson.writeDateTime("expiresAt", expiresAt);
		}
		RecordOrigin.write(this.record.headers(), this.bson);
		this.bson.writeEndDocument();
	}

	private void decimal(String number) {
		BigDecimal decimal = new BigDecimal(number);
		if (decimal.signum() == 0) {
			this.bson.writeDouble(number.startsWith("-") ? -0.0 : 0.0);
		}
		else if (Decimals.isDouble(decimal)) {
			this.bson.writeDouble(decimal.doubleValue());
		}
		else {
			this.bson.writeDecimal128(new Decimal128(decimal));
		}
	}

	@Override
	public void close() {
		this.bson.close();
		this.bytes.close();
	}

	/**
	 * Writes text without the driver's check of each character, since the contract has
	 * made sure of UTF-8 and of names without NUL. This saves a quarter of the time to
	 * parse a record. The driver has no way for a text of bytes: such a one is left here
	 * beforehand.
	 */
	private static final class TextBuffer extends BasicOutputBuffer {

		private static final int MAX_EMPTY = 512;

		private @Nullable Text next;

		TextBuffer(int size) {
			super(size);
		}

		/** What was written, in these bytes themselves unless many of them are empty. */
		RawBsonDocument document() {
			byte[] all = getInternalBuffer();
			int size = getSize();
			return (all.length - size <= MAX_EMPTY) ? new RawBsonDocument(all, 0, size)
					: new RawBsonDocument(toByteArray());
		}

		/** Has this text written in the place of the next string. */
		void next(Text text) {
			this.next = text;
		}

		@Override
		public void writeString(String text) {
			Text left = this.next;
			if (left != null) {
				this.next = null;
				left.utf8(this::writeString);
			}
			else {
				byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
				writeString(bytes, 0, bytes.length);
			}
		}

		private void writeString(byte[] source, int from, int length) {
			writeInt32(length + 1);
			writeBytes(source, from, length);
			writeByte(0);
		}

		@Override
		public void writeCString(String name) {
			writeBytes(name.getBytes(StandardCharsets.UTF_8));
			writeByte(0);
		}

	}

}
