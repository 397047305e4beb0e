package jobs.kafkatomongo.trial;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Reads the last records of a topic, without a group: it joins none and commits nothing.
 * Each partition gives the same share, or all that it has.
 */
final class LastRecords implements AutoCloseable {

	/** Time without a record after which a trial ends. */
	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final Consumer<byte[], byte[]> consumer;

	private final Map<TopicPartition, Long> ends = new HashMap<>();

	/** Makes a consumer; what the configuration says of a group is left out. */
	LastRecords(Map<String, Object> configuration) {
		Map<String, Object> own = new HashMap<>(configuration);
		own.keySet()
			.removeAll(List.of(ConsumerConfig.GROUP_ID_CONFIG, ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
					ConsumerConfig.CLIENT_ID_CONFIG));
		own.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
		// what retention deletes meanwhile is passed over
		own.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
		own.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "4000");
		own.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, "3000");
		this.consumer = new KafkaConsumer<>(own);
	}

	/** Goes to where the last records begin, and returns how many there are at most. */
	long seek(String topic, long wanted) {
		List<TopicPartition> partitions = new ArrayList<>();
		for (PartitionInfo one : Objects.requireNonNullElse(this.consumer.partitionsFor(topic),
				List.<PartitionInfo>of())) {
			partitions.add(new TopicPartition(topic, one.partition()));
		}
		Map<TopicPartition, Long> starts = this.consumer.beginningOffsets(partitions);
		this.ends.putAll(this.consumer.endOffsets(partitions));
		this.consumer.assign(partitions);
		Comparator<TopicPartition> fewestFirst = Comparator
			.comparingLong((one) -> offset(this.ends, one) - offset(starts, one));
		partitions.sort(fewestFirst);
		long left = wanted;
		for (int i = 0; i < partitions.size(); i++) {
			TopicPartition one = partitions.get(i);
			long end = offset(this.ends, one);
			// the first get a record less where it can't be divided
			long share = Math.min(end - offset(starts, one), left / (partitions.size() - i));
			this.consumer.seek(one, end - share);
			left -= share;
		}
		return wanted - left;
	}

	/** The records that come next, none at the end. Throws KafkaException. */
	List<ConsumerRecord<byte[], byte[]>> next() {
		long start = System.nanoTime();
		List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
		while (records.isEmpty() && !isAtEnd()) {
			if (System.nanoTime() - start > PATIENCE.toNanos()) {
				throw new TimeoutException("it gave no record for %d s".formatted(PATIENCE.toSeconds()));
			}
			for (ConsumerRecord<byte[], byte[]> one : this.consumer.poll(Duration.ofMillis(500))) {
				if (one.offset() < offset(this.ends, new TopicPartition(one.topic(), one.partition()))) {
					records.add(one);
				}
			}
		}
		return records;
	}

	/** The marker of a transaction has an offset, too, and is no record. */
	private boolean isAtEnd() {
		List<TopicPartition> ended = this.ends.entrySet()
			.stream()
			.filter((end) -> this.consumer.position(end.getKey()) >= end.getValue())
			.map(Map.Entry::getKey)
			.toList();
		this.consumer.pause(ended);
		return ended.size() == this.ends.size();
	}

	private static long offset(Map<TopicPartition, Long> offsets, TopicPartition partition) {
		return offsets.getOrDefault(partition, 0L);
	}

	@Override
	public void close() {
		this.consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
	}

}
