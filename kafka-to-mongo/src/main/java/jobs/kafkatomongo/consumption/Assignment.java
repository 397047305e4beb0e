package jobs.kafkatomongo.consumption;

import java.util.List;
import java.util.Set;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Keeps a batch that is tried again from outliving its partitions: while it waited, some
 * of them may have gone to another consumer, which reads their records itself.
 */
public final class Assignment {

	private Assignment() {
	}

	/** The records of partitions that a consumer still has, in their order. */
	public static List<ConsumerRecord<byte[], byte[]>> retain(List<ConsumerRecord<byte[], byte[]>> records,
			Consumer<?, ?> consumer) {
		Set<TopicPartition> assigned = consumer.assignment();
		return records.stream()
			.filter((record) -> assigned.contains(new TopicPartition(record.topic(), record.partition())))
			.toList();
	}

}
