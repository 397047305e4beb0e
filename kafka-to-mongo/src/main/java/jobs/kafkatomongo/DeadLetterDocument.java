package jobs.kafkatomongo;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

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

/**
 * The document of a dead letter, of a bounded size whatever the record is.
 */
final class DeadLetterDocument {

	/** The reason of a record that came without one to the topic. */
	static final String UNKNOWN = "unknown";

	/** Of one header that says something of the dead letter. */
	private static final int MAX_HEADER = 8 * 1024;

	private static final int MAX_HEADERS = 64 * 1024;

	/** So that a document stays below MongoDB's 16 MiB, whatever a job may have. */
	private static final int MAX_VALUE = 8 * 1024 * 1024;

	private static final JsonMapper JSON = new JsonMapper();

	private DeadLetterDocument() {
	}

	/**
	 * Makes the document of a record of the dead-letter topic.
	 * @param record the record; anybody may have written it
	 * @param maxSize the most bytes of a value that are kept, 8 MiB in any case
	 * @return the document, but for the times when it was seen
	 */
	static BsonDocument of(ConsumerRecord<byte[], byte[]> record, int maxSize) {
		String position = position(record);
		byte @Nullable [] key = (record.key() != null && record.key().length <= DeadLetterPublisher.MAX_KEY)
				? record.key() : null;
		BsonDocument document = new BsonDocument("_id", new BsonString(position));
		document.append("job", new BsonString(JobParser.id(key, position)));
		document.append("state", new BsonString(DeadLetterStore.State.OPEN.text()));
		document.append("reason", new BsonString(header(record, "dlt-reason", UNKNOWN)));
		document.append("detail",
				new BsonString(header(record, "dlt-detail", "This record came without a reason to the topic")));
		String pointers = header(record, "dlt-pointers", "");
		if (!pointers.isEmpty()) {
			document.append("pointers", strings(pointers));
		}
		String code = header(record, "dlt-mongodb-code", "");
		if (code.matches("\\d{1,9}")) {
			document.append("code", new BsonInt32(Integer.parseInt(code)));
		}
		String replayOf = header(record, Replays.HEADER, "");
		if (!replayOf.isEmpty()) {
			document.append("replayOf", new BsonString(replayOf));
		}
		String timestamp = header(record, "dlt-original-timestamp", "");
		if (timestamp.matches("\\d{1,15}")) {
			document.append("acceptedAt", new BsonDateTime(Long.parseLong(timestamp)));
		}
		if (key != null) {
			document.append("key", textOrBytes(key));
		}
		String keyLeftOut = header(record, "dlt-key-left-out", "");
		if (record.key() != null && key == null) {
			document.append("keyLeftOut", new BsonInt32(record.key().length));
		}
		else if (keyLeftOut.matches("\\d{1,9}")) {
			document.append("keyLeftOut", new BsonInt32(Integer.parseInt(keyLeftOut)));
		}
		byte @Nullable [] value = record.value();
		String leftOut = header(record, "dlt-value-left-out", "");
		if (value != null && value.length <= Math.min(maxSize, MAX_VALUE)) {
			document.append("value", textOrBytes(value));
		}
		else if (value != null || leftOut.matches("\\d{1,9}")) {
			document.append("valueLeftOut", new BsonInt32((value != null) ? value.length : Integer.parseInt(leftOut)));
		}
		addHeaders(record, document);
		return document;
	}

	/**
	 * The position of the original, which its headers tell; without them, as of a record
	 * that somebody else has written to the topic, its own.
	 */
	private static String position(ConsumerRecord<byte[], byte[]> record) {
		String topic = header(record, "dlt-original-topic", "");
		String partition = header(record, "dlt-original-partition", "");
		String offset = header(record, "dlt-original-offset", "");
		boolean known = topic.matches("[\\w.-]{1,249}") && partition.matches("\\d{1,10}")
				&& offset.matches("\\d{1,19}");
		return known ? topic + "#" + partition + "#" + offset : JobParser.position(record);
	}

	private static BsonArray strings(String json) {
		try {
			return new BsonArray(Stream.of(JSON.readValue(json, String[].class))
				.map(Objects::requireNonNull)
				.map(BsonString::new)
				.toList());
		}
		catch (JacksonException | NullPointerException ex) {
			// somebody else's header
			return new BsonArray(List.of(new BsonString(json)));
		}
	}

	/**
	 * Adds the headers of the original, or says how many there is no place for.
	 */
	private static void addHeaders(ConsumerRecord<byte[], byte[]> record, BsonDocument document) {
		BsonArray headers = new BsonArray();
		int size = 0;
		int leftOut = 0;
		for (Header header : record.headers()) {
			int own = header.key().length() + ((header.value() != null) ? header.value().length : 0) + 32;
			if (header.key().startsWith(DeadLetterPublisher.HEADER)) {
				continue;
			}
			if (size + own > MAX_HEADERS) {
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
		if (header != null && header.value() != null && header.value().length > MAX_HEADER) {
			return otherwise;
		}
		String text = (header != null && header.value() != null) ? JobParser.text(header.value()) : null;
		return (text != null) ? text : otherwise;
	}

	private static BsonValue textOrBytes(byte[] bytes) {
		String text = JobParser.text(bytes);
		return (text != null) ? new BsonString(text) : new BsonBinary(bytes);
	}

	static byte[] bytes(BsonValue textOrBytes) {
		return textOrBytes.isBinary() ? textOrBytes.asBinary().getData()
				: textOrBytes.asString().getValue().getBytes(StandardCharsets.UTF_8);
	}

}
