package jobs.kafkatomongo.document;

import jobs.contract.Utf8;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Where a record stands in Kafka. As text it is {@code topic#partition#offset}.
 *
 * @param topic the topic
 * @param partition the partition
 * @param offset the offset
 */
public record RecordPosition(String topic, int partition, long offset) {

	/**
	 * The position of a record that was consumed.
	 * @param record the record
	 * @return its position
	 */
	public static RecordPosition of(ConsumerRecord<?, ?> record) {
		return new RecordPosition(record.topic(), record.partition(), record.offset());
	}

	/**
	 * The position of a record that was published.
	 * @param published what Kafka acknowledged
	 * @return its position
	 */
	public static RecordPosition of(RecordMetadata published) {
		return new RecordPosition(published.topic(), published.partition(), published.offset());
	}

	/**
	 * The id of the job of a record: the record's key, or its position where there is no
	 * key or none that is text.
	 * @param key the key
	 * @param position the position, as text
	 * @return the id, which is the {@code _id} of the document
	 */
	public static String jobId(byte @Nullable [] key, String position) {
		String id = (key != null) ? Utf8.decode(key) : null;
		return (id != null && !id.isEmpty()) ? id : position;
	}

	@Override
	public String toString() {
		return this.topic + "#" + this.partition + "#" + this.offset;
	}

}
