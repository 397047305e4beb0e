package jobs.kafkatomongo.lag;

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

/** Looks at the first waiting record of each partition, and never commits. */
class OldestRecords implements AutoCloseable {

	/** The time for one look at all partitions. */
	private static final Duration LOOK = Duration.ofSeconds(1);

	private final Consumer<byte[], byte[]> consumer;

	private final Map<TopicPartition, First> seen = new HashMap<>();

	/** Makes the consumer; the configuration must not name a group. */
	OldestRecords(Map<String, Object> configuration) {
		this.consumer = new KafkaConsumer<>(configuration);
	}

	List<TopicPartition> partitionsOf(String topic) {
		return this.consumer.partitionsFor(topic)
			.stream()
			.map((partition) -> new TopicPartition(topic, partition.partition()))
			.toList();
	}

	/**
	 * Looks for the first record of each partition from its offset in {@code behind}, for
	 * a second at most. Where it sees none, it moves the offset on: the marker of a
	 * transaction's end takes an offset that nobody commits.
	 */
	void find(Map<TopicPartition, Long> behind) {
		this.consumer.assign(behind.keySet());
		// a partition that the last look paused would stay paused
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
	 * When the oldest waiting record was published, or {@code null} where none waits or
	 * was seen. A record that an earlier look saw counts while it still waits.
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

	/** A waiting record; the timestamp is in milliseconds since 1970. */
	private record First(long offset, long timestamp) {

	}

}
