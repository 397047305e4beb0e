package jobs.kafkatomongo.document;

import java.util.Arrays;

import jobs.contract.Utf8;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/** Where a record stands in Kafka; as text {@code topic#partition#offset}. */
public record RecordPosition(String topic, int partition, long offset) {

	/** The position of a record that was consumed. */
	public static RecordPosition of(ConsumerRecord<?, ?> record) {
		return new RecordPosition(record.topic(), record.partition(), record.offset());
	}

	/** The position of a record that Kafka has acknowledged. */
	public static RecordPosition of(RecordMetadata published) {
		return new RecordPosition(published.topic(), published.partition(), published.offset());
	}

	/**
	 * Tells a record from all others, also from one at the same position of a topic that
	 * was deleted and created anew.
	 */
	public static String identity(ConsumerRecord<?, byte[]> record) {
		return "%s@%d:%d".formatted(of(record), record.timestamp(), Arrays.hashCode(record.value()));
	}

	/** The {@code _id} of the document of a record that was consumed. */
	public static String documentId(ConsumerRecord<byte[], byte[]> record) {
		String id = documentId(record.key());
		return (id != null) ? id : of(record).toString();
	}

	/**
	 * The {@code _id} of a record's document: the key or, where it is missing, empty or
	 * not UTF-8, the position.
	 */
	public static String documentId(byte @Nullable [] key, String position) {
		String id = documentId(key);
		return (id != null) ? id : position;
	}

	private static @Nullable String documentId(byte @Nullable [] key) {
		String id = (key != null) ? Utf8.decode(key) : null;
		return (id != null && !id.isEmpty()) ? id : null;
	}

	@Override
	public String toString() {
		return this.topic + "#" + this.partition + "#" + this.offset;
	}

}
