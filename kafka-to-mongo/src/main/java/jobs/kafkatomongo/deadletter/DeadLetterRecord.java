package jobs.kafkatomongo.deadletter;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import jobs.kafkatomongo.limits.Limits;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes the record of a dead letter: the original's key, value and headers, and
 * {@link DeadLetterHeaders}. Smaller forms serve a topic for which the whole is too
 * large.
 */
record DeadLetterRecord(String topic, DeadLetter deadLetter) {

	private static final JsonMapper JSON = new JsonMapper();

	ProducerRecord<byte[], byte[]> whole() {
		ConsumerRecord<byte[], byte[]> original = this.deadLetter.record();
		return record(original.key(), original.value(), original.headers(), "");
	}

	ProducerRecord<byte[], byte[]> withoutValue() {
		ConsumerRecord<byte[], byte[]> original = this.deadLetter.record();
		return leftOut(record(original.key(), null, original.headers(),
				"The value is too large for this topic and left out. "));
	}

	/**
	 * Leaves out the value, the headers, and a key above {@link Limits#KEY_BYTES} bytes.
	 */
	ProducerRecord<byte[], byte[]> bare() {
		byte @Nullable [] key = this.deadLetter.record().key();
		boolean isLarge = key != null && key.length > Limits.KEY_BYTES;
		ProducerRecord<byte[], byte[]> bare = leftOut(record(isLarge ? null : key, null, new RecordHeaders(),
				"Value, headers and a key above %d bytes are too large for this topic and left out. "
					.formatted(Limits.KEY_BYTES)));
		if (key != null && isLarge) {
			put(bare.headers(), DeadLetterHeaders.KEY_LEFT_OUT, key.length);
		}
		return bare;
	}

	private ProducerRecord<byte[], byte[]> leftOut(ProducerRecord<byte[], byte[]> record) {
		byte @Nullable [] value = this.deadLetter.record().value();
		put(record.headers(), DeadLetterHeaders.VALUE_LEFT_OUT, (value != null) ? value.length : 0);
		return record;
	}

	private ProducerRecord<byte[], byte[]> record(byte @Nullable [] key, byte @Nullable [] value, Headers headers,
			String remark) {
		ConsumerRecord<byte[], byte[]> original = this.deadLetter.record();
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(this.topic, null, key, value);
		for (Header header : headers) {
			// a record that was a dead letter before may have such headers
			if (!header.key().startsWith(DeadLetterHeaders.PREFIX)) {
				record.headers().add(header);
			}
		}
		put(record.headers(), DeadLetterHeaders.REASON, this.deadLetter.reason());
		put(record.headers(), DeadLetterHeaders.DETAIL, remark + this.deadLetter.shortDetail());
		List<String> pointers = pointers();
		if (!pointers.isEmpty()) {
			put(record.headers(), DeadLetterHeaders.POINTERS, JSON.writeValueAsString(pointers));
		}
		if (this.deadLetter.code() != null) {
			put(record.headers(), DeadLetterHeaders.MONGODB_CODE, this.deadLetter.code());
		}
		put(record.headers(), DeadLetterHeaders.TOPIC, original.topic());
		put(record.headers(), DeadLetterHeaders.PARTITION, original.partition());
		put(record.headers(), DeadLetterHeaders.OFFSET, original.offset());
		put(record.headers(), DeadLetterHeaders.TIMESTAMP, original.timestamp());
		return record;
	}

	/** The first pointers, as many as there is room for. */
	private List<String> pointers() {
		List<String> pointers = new ArrayList<>();
		int size = 0;
		for (String pointer : this.deadLetter.pointers()) {
			size += JSON.writeValueAsBytes(pointer).length + 1;
			if (pointers.size() == Limits.POINTERS || size > Limits.POINTERS_BYTES) {
				break;
			}
			pointers.add(pointer);
		}
		return pointers;
	}

	private static void put(Headers headers, String name, Object value) {
		headers.add(name, value.toString().getBytes(StandardCharsets.UTF_8));
	}

}
