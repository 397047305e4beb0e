package jobs.kafkatomongo.deadletter;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import jobs.contract.Utf8;
import jobs.kafkatomongo.document.RecordOrigin;
import jobs.kafkatomongo.document.RecordPosition;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The shapes of a dead letter: the record of its topic, which has the key, the value and
 * the headers of the original and the headers {@code dlt-*}, and the document of its
 * collection. {@link KeptRecord} reads a document back.
 */
final class DeadLetterCodec {

	/** JSON Pointers that a dead letter names. */
	private static final int POINTERS = 20;

	/**
	 * Bytes of all pointers that a dead letter names, since names may be of any length.
	 */
	private static final int POINTERS_BYTES = 4000;

	/** Bytes of a key that is kept whatever is left out. */
	static final int KEY_BYTES = 64 * 1024;

	/** Bytes of one header that says something of a dead letter. */
	private static final int HEADER_BYTES = 8 * 1024;

	/** Bytes of the original's headers that are kept in a document. */
	private static final int HEADERS_BYTES = 64 * 1024;

	/** Bytes of a value that is kept in a document, of which MongoDB takes 16 MiB. */
	private static final int VALUE_BYTES = 8 * 1024 * 1024;

	private static final JsonMapper JSON = new JsonMapper();

	/** Begins the names of all headers that tell of a dead letter. */
	private static final String PREFIX = "dlt-";

	private static final String TOPIC = PREFIX + "original-topic";

	private static final String PARTITION = PREFIX + "original-partition";

	private static final String OFFSET = PREFIX + "original-offset";

	/** The id of the document, where the key is another one. */
	private static final String DOCUMENT_ID = PREFIX + "document-id";

	/** Room that each header takes in a document beside its name and its value. */
	private static final int BESIDE_A_HEADER = 32;

	private DeadLetterCodec() {
	}

	/**
	 * Makes the record of a dead letter for a topic. Its smaller forms serve a topic for
	 * which the whole record is too large. A record without a key gets its position as
	 * key, since a compacted topic takes none without.
	 */
	static ProducerRecord<byte[], byte[]> toRecord(String topic, DeadLetter deadLetter, Form form) {
		ConsumerRecord<byte[], byte[]> original = deadLetter.record();
		boolean isKeyLeftOut = form == Form.BARE && !isKept(original.key());
		byte[] key = (original.key() == null || isKeyLeftOut) ? utf8(deadLetter.position()) : original.key();
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, null, key,
				(form == Form.WHOLE) ? original.value() : null);
		Headers headers = record.headers();
		for (Header header : (form == Form.BARE) ? new RecordHeaders() : original.headers()) {
			// a record that was a dead letter before may have headers of that one
			if (!header.key().startsWith(PREFIX)) {
				headers.add(header);
			}
		}
		put(headers, DeadLetterFact.REASON.header, deadLetter.reason());
		put(headers, DeadLetterFact.DETAIL.header, form.remark + deadLetter.shortDetail());
		List<String> pointers = firstOf(deadLetter.pointers());
		if (!pointers.isEmpty()) {
			put(headers, DeadLetterFact.POINTERS.header, JSON.writeValueAsString(pointers));
		}
		if (deadLetter.code() != null) {
			put(headers, DeadLetterFact.CODE.header, deadLetter.code());
		}
		if (deadLetter.ownId() != null) {
			put(headers, DOCUMENT_ID, deadLetter.ownId());
		}
		put(headers, TOPIC, original.topic());
		put(headers, PARTITION, original.partition());
		put(headers, OFFSET, original.offset());
		put(headers, DeadLetterFact.TIMESTAMP.header, original.timestamp());
		if (form != Form.WHOLE) {
			put(headers, DeadLetterFact.VALUE_LEFT_OUT.header, length(original.value()));
		}
		if (isKeyLeftOut) {
			put(headers, DeadLetterFact.KEY_LEFT_OUT.header, length(original.key()));
		}
		return record;
	}

	private static void put(Headers headers, String name, Object value) {
		headers.add(name, utf8(value.toString()));
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/** The first pointers, as many as a header has room for. */
	private static List<String> firstOf(List<String> all) {
		List<String> pointers = new ArrayList<>();
		int size = 0;
		for (String pointer : all) {
			size += JSON.writeValueAsBytes(pointer).length + 1;
			if (pointers.size() == POINTERS || size > POINTERS_BYTES) {
				break;
			}
			pointers.add(pointer);
		}
		return pointers;
	}

	/**
	 * Makes the document of a record of the dead-letter topic, whoever wrote it, without
	 * the times when it was seen. The document keeps a value of up to {@code maxSize}
	 * bytes, or of what rest-to-kafka accepted, and never one above 8 MiB.
	 */
	static BsonDocument toDocument(ConsumerRecord<byte[], byte[]> record, int maxSize) {
		String position = position(record);
		byte @Nullable [] whole = Arrays.equals(record.key(), utf8(position)) ? null : record.key();
		byte @Nullable [] key = isKept(whole) ? whole : null;
		BsonDocument document = new BsonDocument("_id", new BsonString(position));
		String ownId = header(record, DOCUMENT_ID);
		document.append("job", new BsonString(!ownId.isEmpty() ? ownId : RecordPosition.documentId(key, position)));
		document.append("state", new BsonString(DeadLetter.State.OPEN.text()));
		for (DeadLetterFact fact : DeadLetterFact.values()) {
			BsonValue value = fact.read(header(record, fact.header));
			if (value != null) {
				document.append(fact.field, value);
			}
		}
		append(document, "key", whole, key != null, DeadLetterFact.KEY_LEFT_OUT);
		int length = length(record.value());
		append(document, "value", record.value(),
				length <= VALUE_BYTES && RecordOrigin.mayHave(length, record.headers(), maxSize),
				DeadLetterFact.VALUE_LEFT_OUT);
		appendHeaders(document, record.headers());
		return document;
	}

	/** Appends a key or value, or its length where it is left out. */
	private static void append(BsonDocument document, String field, byte @Nullable [] bytes, boolean isKept,
			DeadLetterFact leftOut) {
		if (bytes == null) {
			return;
		}
		document.remove(leftOut.field);
		document.append(isKept ? field : leftOut.field, isKept ? textOrBytes(bytes) : new BsonInt32(bytes.length));
	}

	/**
	 * Appends the original's headers, up to {@link #HEADERS_BYTES}, and the number of
	 * those that are left out.
	 */
	private static void appendHeaders(BsonDocument document, Headers all) {
		BsonArray headers = new BsonArray();
		int size = 0;
		int leftOut = 0;
		for (Header header : all) {
			int own = header.key().length() + length(header.value()) + BESIDE_A_HEADER;
			if (header.key().startsWith(PREFIX)) {
				continue;
			}
			if (size + own > HEADERS_BYTES) {
				leftOut++;
				continue;
			}
			size += own;
			BsonDocument one = new BsonDocument("name", new BsonString(header.key()));
			if (header.value() != null) {
				one.append("value", textOrBytes(header.value()));
			}
			headers.add(one);
		}
		document.append("headers", headers);
		if (leftOut > 0) {
			document.append(KeptRecord.HEADERS_LEFT_OUT, new BsonInt32(leftOut));
		}
	}

	/**
	 * The original's position as the headers tell it. A record that another program wrote
	 * to the topic gets its own position.
	 */
	private static String position(ConsumerRecord<byte[], byte[]> record) {
		String topic = header(record, TOPIC);
		String partition = header(record, PARTITION);
		String offset = header(record, OFFSET);
		boolean known = topic.matches("[\\w.-]{1,249}") && partition.matches("\\d{1,10}")
				&& offset.matches("\\d{1,19}");
		return known ? topic + "#" + partition + "#" + offset : RecordPosition.of(record).toString();
	}

	/** The text of a header, empty where it is missing, too long or not UTF-8. */
	private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
		Header header = record.headers().lastHeader(name);
		boolean isRead = header != null && header.value() != null && header.value().length <= HEADER_BYTES;
		return isRead ? Objects.requireNonNullElse(Utf8.decode(header.value()), "") : "";
	}

	private static boolean isKept(byte @Nullable [] key) {
		return length(key) <= KEY_BYTES;
	}

	private static int length(byte @Nullable [] bytes) {
		return (bytes != null) ? bytes.length : 0;
	}

	private static BsonValue textOrBytes(byte[] bytes) {
		String text = Utf8.decode(bytes);
		return (text != null) ? new BsonString(text) : new BsonBinary(bytes);
	}

	/** How much of its original the record of a dead letter has. */
	enum Form {

		/** Key, value and headers. */
		WHOLE(""),

		/** Key and headers. */
		WITHOUT_VALUE("The value is too large for this topic and left out. "),

		/** The key, up to {@link #KEY_BYTES}. */
		BARE("Value, headers and a key above %d bytes are too large for this topic and left out. "
			.formatted(KEY_BYTES));

		private final String remark;

		Form(String remark) {
			this.remark = remark;
		}

	}

}
