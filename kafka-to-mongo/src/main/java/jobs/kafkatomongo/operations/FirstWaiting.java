package jobs.kafkatomongo.operations;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the first record that waits on each partition, with a consumer of its own that
 * never commits.
 */
class FirstWaiting implements AutoCloseable {

	/** Time for a look at all partitions. */
	private static final Duration LOOK = Duration.ofSeconds(1);

	private final Consumer<byte[], byte[]> consumer;

	private final Map<TopicPartition, First> seen = new HashMap<>();

	/**
	 * Makes the consumer.
	 * @param configuration of a consumer without a group
	 */
	FirstWaiting(Map<String, Object> configuration) {
		this.consumer = new KafkaConsumer<>(configuration);
	}

	List<TopicPartition> partitionsOf(String topic) {
		return this.consumer.partitionsFor(topic)
			.stream()
			.map((partition) -> new TopicPartition(topic, partition.partition()))
			.toList();
	}

	/**
	 * Looks at the first record of each partition, for a second.
	 * @param behind where to look; moved on where there is no record, as where nothing
	 * but the marker of a transaction's end stands, which nobody ever commits
	 */
	void look(Map<TopicPartition, Long> behind) {
		this.consumer.assign(behind.keySet());
		// what was paused the last time stays so otherwise
		this.consumer.resume(behind.keySet());
		behind.forEach(this.consumer::seek);
		Set<TopicPartition> unseen = new HashSet<>(behind.keySet());
		long start = System.nanoTime();
		while (!unseen.isEmpty() && System.nanoTime() - start < LOOK.toNanos()) {
			for (ConsumerRecord<byte[], byte[]> record : this.consumer.poll(Duration.ofMillis(100))) {
				TopicPartition partition = new TopicPartition(record.topic(), record.partition());
				if (unseen.remove(partition)) {
					this.seen.put(partition, new First(record.offset(), record.timestamp()));
					this.consumer.pause(List.of(partition));
				}
			}
		}
		unseen.forEach((partition) -> behind.put(partition, this.consumer.position(partition)));
	}

	/**
	 * When the oldest that waits was published. Where none could be seen in time, the one
	 * seen before counts, if it still waits.
	 * @param behind where the first that waits stands
	 * @return the time, or {@code null} where none waits or has been seen
	 */
	@Nullable Instant oldest(Map<TopicPartition, Long> behind) {
		this.seen.entrySet().removeIf((first) -> {
			Long next = behind.get(first.getKey());
			return next == null || first.getValue().offset() < next;
		});
		return this.seen.values()
			.stream()
			.map(First::timestamp)
			.min(Comparator.naturalOrder())
			.map(Instant::ofEpochMilli)
			.orElse(null);
	}

	@Override
	public void close() {
		this.consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
	}

	/**
	 * A record that waits.
	 *
	 * @param offset where it stands
	 * @param timestamp when it was published, in milliseconds since 1970
	 */
	private record First(long offset, long timestamp) {

	}

}
