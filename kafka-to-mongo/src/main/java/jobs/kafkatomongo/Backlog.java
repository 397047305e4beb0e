package jobs.kafkatomongo;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Knows how far behind the whole group is: how many records of the topic are not
 * committed, and since when the oldest of them waits. It asks Kafka every two seconds, so
 * that it also knows when the listener is stuck or gone.
 */
class Backlog implements DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(Backlog.class);

	private static final Duration LOOK = Duration.ofSeconds(1);

	private final Supplier<Consumer<byte[], byte[]>> consumers;

	private final String topic;

	private final JobMetrics metrics;

	private @Nullable Consumer<byte[], byte[]> consumer;

	private final Map<Integer, Long> lag = new ConcurrentHashMap<>();

	private volatile Snapshot snapshot = new Snapshot(Instant.EPOCH, 0, 0, null);

	/**
	 * Prepares to measure.
	 * @param consumers makes a consumer with the group's id, which never joins the group
	 * @param topic the topic
	 * @param metrics where it is shown
	 */
	Backlog(Supplier<Consumer<byte[], byte[]>> consumers, String topic, JobMetrics metrics) {
		this.consumers = consumers;
		this.topic = topic;
		this.metrics = metrics;
		metrics.oldest(() -> this.snapshot.oldest());
	}

	/**
	 * What was measured last.
	 */
	Snapshot snapshot() {
		return this.snapshot;
	}

	@Scheduled(fixedDelay = 2000)
	synchronized void measure() {
		try {
			measure(consumer());
		}
		catch (KafkaException ex) {
			logger.debug("The backlog can't be measured now: {}",
					NestedExceptionUtils.getMostSpecificCause(ex).toString());
		}
	}

	private Consumer<byte[], byte[]> consumer() {
		if (this.consumer == null) {
			this.consumer = this.consumers.get();
		}
		return this.consumer;
	}

	private void measure(Consumer<byte[], byte[]> consumer) {
		List<TopicPartition> partitions = consumer.partitionsFor(this.topic)
			.stream()
			.map((partition) -> new TopicPartition(this.topic, partition.partition()))
			.toList();
		// in this order, so that what is published meanwhile counts as waiting
		Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(Set.copyOf(partitions));
		Map<TopicPartition, Long> starts = consumer.beginningOffsets(partitions);
		Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
		Map<TopicPartition, Long> behind = new HashMap<>();
		for (TopicPartition partition : partitions) {
			OffsetAndMetadata commit = committed.get(partition);
			long next = Math.max(starts.getOrDefault(partition, 0L), (commit != null) ? commit.offset() : 0);
			long waiting = Math.max(0, ends.getOrDefault(partition, 0L) - next);
			if (this.lag.put(partition.partition(), waiting) == null) {
				this.metrics.lag(partition.partition(), () -> this.lag.getOrDefault(partition.partition(), 0L));
			}
			if (waiting > 0) {
				behind.put(partition, next);
			}
		}
		this.snapshot = new Snapshot(Instant.now(), ends.values().stream().mapToLong(Long::longValue).sum(),
				this.lag.values().stream().mapToLong(Long::longValue).sum(), oldest(consumer, behind));
	}

	/**
	 * Looks at the first record that waits on each partition.
	 */
	private static @Nullable Instant oldest(Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> behind) {
		consumer.assign(behind.keySet());
		behind.forEach(consumer::seek);
		Set<TopicPartition> unseen = new HashSet<>(behind.keySet());
		long oldest = Long.MAX_VALUE;
		long start = System.nanoTime();
		while (!unseen.isEmpty() && System.nanoTime() - start < LOOK.toNanos()) {
			for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
				TopicPartition partition = new TopicPartition(record.topic(), record.partition());
				if (unseen.remove(partition)) {
					oldest = Math.min(oldest, record.timestamp());
					consumer.pause(List.of(partition));
				}
			}
		}
		return (oldest != Long.MAX_VALUE) ? Instant.ofEpochMilli(oldest) : null;
	}

	@Override
	public synchronized void destroy() {
		if (this.consumer != null) {
			this.consumer.close();
		}
	}

	/**
	 * How far behind the group was.
	 *
	 * @param at when
	 * @param published how many records the topic had ever
	 * @param waiting how many of them are not committed
	 * @param oldest when the oldest of these was published, {@code null} when none waits
	 */
	record Snapshot(Instant at, long published, long waiting, @Nullable Instant oldest) {

	}

}
