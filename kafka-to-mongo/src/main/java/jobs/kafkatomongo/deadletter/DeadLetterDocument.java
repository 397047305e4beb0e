package jobs.kafkatomongo.deadletter;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

import jobs.contract.Utf8;
import jobs.kafkatomongo.document.RecordPosition;
import jobs.kafkatomongo.limits.Limits;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Makes the document of a dead letter, of a bounded size whatever the record holds. */
public final class DeadLetterDocument {

	/** The reason of a record that reached the topic without one. */
	public static final String UNKNOWN = "unknown";

	/** The field of the time of the original record, which tells twins apart. */
	static final String ACCEPTED_AT = "acceptedAt";

	private static final JsonMapper JSON = new JsonMapper();

	private DeadLetterDocument() {
	}

	/**
	 * Makes the document of a record, whoever wrote it, without the times when it was
	 * seen. It keeps a value of up to {@code maxSize} bytes, and never one above 8 MiB.
	 */
	static BsonDocument of(ConsumerRecord<byte[], byte[]> record, int maxSize) {
		String position = position(record);
		byte @Nullable [] key = (record.key() != null && record.key().length <= Limits.KEY_BYTES) ? record.key() : null;
		BsonDocument document = new BsonDocument("_id", new BsonString(position));
		document.append("job", new BsonString(RecordPosition.jobId(key, position)));
		document.append("state", new BsonString(State.OPEN.text()));
		document.append("reason", new BsonString(header(record, DeadLetterHeaders.REASON, UNKNOWN)));
		document.append("detail", new BsonString(
				header(record, DeadLetterHeaders.DETAIL, "This record came without a reason to the topic")));
		String pointers = header(record, DeadLetterHeaders.POINTERS, "");
		if (!pointers.isEmpty()) {
			document.append("pointers", strings(pointers));
		}
		String code = header(record, DeadLetterHeaders.MONGODB_CODE, "");
		if (code.matches("\\d{1,9}")) {
			document.append("code", new BsonInt32(Integer.parseInt(code)));
		}
		String replayOf = header(record, DeadLetterHeaders.REPLAY_OF, "");
		if (!replayOf.isEmpty()) {
			document.append("replayOf", new BsonString(replayOf));
		}
		String timestamp = header(record, DeadLetterHeaders.TIMESTAMP, "");
		if (timestamp.matches("\\d{1,15}")) {
			document.append(ACCEPTED_AT, new BsonDateTime(Long.parseLong(timestamp)));
		}
		if (key != null) {
			document.append("key", textOrBytes(key));
		}
		String keyLeftOut = header(record, DeadLetterHeaders.KEY_LEFT_OUT, "");
		if (record.key() != null && key == null) {
			document.append("keyLeftOut", new BsonInt32(record.key().length));
		}
		else if (keyLeftOut.matches("\\d{1,9}")) {
			document.append("keyLeftOut", new BsonInt32(Integer.parseInt(keyLeftOut)));
		}
		byte @Nullable [] value = record.value();
		String leftOut = header(record, DeadLetterHeaders.VALUE_LEFT_OUT, "");
		if (value != null && value.length <= Math.min(maxSize, Limits.VALUE_BYTES)) {
			document.append("value", textOrBytes(value));
		}
		else if (value != null || leftOut.matches("\\d{1,9}")) {
			document.append("valueLeftOut", new BsonInt32((value != null) ? value.length : Integer.parseInt(leftOut)));
		}
		addHeaders(record, document);
		return document;
	}

	/**
	 * The original's position as the headers tell it. A record that somebody else wrote
	 * to the topic gets its own position.
	 */
	private static String position(ConsumerRecord<byte[], byte[]> record) {
		String topic = header(record, DeadLetterHeaders.TOPIC, "");
		String partition = header(record, DeadLetterHeaders.PARTITION, "");
		String offset = header(record, DeadLetterHeaders.OFFSET, "");
		boolean known = topic.matches("[\\w.-]{1,249}") && partition.matches("\\d{1,10}")
				&& offset.matches("\\d{1,19}");
		return known ? topic + "#" + partition + "#" + offset : RecordPosition.of(record).toString();
	}

	private static BsonArray strings(String json) {
		try {
			return new BsonArray(Stream.of(JSON.readValue(json, String[].class))
				.map(Objects::requireNonNull)
				.map(BsonString::new)
				.toList());
		}
		catch (JacksonException | NullPointerException ex) {
			// another producer may have put any text into this header
			return new BsonArray(List.of(new BsonString(json)));
		}
	}

	/**
	 * Adds the original's headers, up to {@link Limits#HEADERS_BYTES}, and counts the
	 * rest.
	 */
	private static void addHeaders(ConsumerRecord<byte[], byte[]> record, BsonDocument document) {
		BsonArray headers = new BsonArray();
		int size = 0;
		int leftOut = 0;
		for (Header header : record.headers()) {
			int own = header.key().length() + ((header.value() != null) ? header.value().length : 0) + 32;
			if (header.key().startsWith(DeadLetterHeaders.PREFIX)) {
				continue;
			}
			if (size + own > Limits.HEADERS_BYTES) {
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
			document.append("headersLeftOut", new BsonInt32(leftOut));
		}
	}

	private static String header(ConsumerRecord<byte[], byte[]> record, String name, String otherwise) {
		Header header = record.headers().lastHeader(name);
		if (header != null && header.value() != null && header.value().length > Limits.HEADER_BYTES) {
			return otherwise;
		}
		String text = (header != null && header.value() != null) ? Utf8.decode(header.value()) : null;
		return (text != null) ? text : otherwise;
	}

	private static BsonValue textOrBytes(byte[] bytes) {
		String text = Utf8.decode(bytes);
		return (text != null) ? new BsonString(text) : new BsonBinary(bytes);
	}

	/** The bytes of a value that a document keeps as text or as binary. */
	public static byte[] bytes(BsonValue textOrBytes) {
		return textOrBytes.isBinary() ? textOrBytes.asBinary().getData()
				: textOrBytes.asString().getValue().getBytes(StandardCharsets.UTF_8);
	}

	/** The path of a dead letter over HTTP, URL-encoded. */
	public static String address(BsonDocument deadLetter) {
		return "/dead-letters/" + URLEncoder.encode(deadLetter.getString("_id").getValue(), StandardCharsets.UTF_8);
	}

	/** What people have done with a dead letter. */
	public enum State {

		/** Nobody has acted on it. */
		OPEN,

		/** It was published again, unchanged or corrected. */
		REPLAYED,

		/** Somebody found it to be of no use. */
		DISCARDED;

		/** The state as the document has it. */
		public String text() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
