package jobs.kafkatomongo;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
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

	private static final long TIMEOUT_SECONDS = 3;

	/** It is measured every two seconds. */
	private static final Duration RECENT = Duration.ofSeconds(10);

	private static final Duration LOOK = Duration.ofSeconds(1);

	private final Map<String, Object> configuration;

	private final String topic;

	private final String group;

	private final JobMetrics metrics;

	private final Map<Integer, Long> lag = new ConcurrentHashMap<>();

	/** The first record that waits, by partition. */
	private final Map<TopicPartition, First> first = new HashMap<>();

	private @Nullable Admin admin;

	private @Nullable Consumer<byte[], byte[]> consumer;

	private volatile Snapshot snapshot = new Snapshot(Instant.EPOCH, 0, 0, null);

	/**
	 * Prepares to measure.
	 * @param configuration of the group's consumers
	 * @param topic the topic
	 * @param metrics where it is shown
	 */
	Backlog(Map<String, Object> configuration, String topic, JobMetrics metrics) {
		Map<String, Object> own = new HashMap<>(configuration);
		// without a group it can't commit, whatever else is configured
		this.group = String.valueOf(own.remove(ConsumerConfig.GROUP_ID_CONFIG));
		own.putAll(Map.of(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false", ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
				"100", ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, "1", ConsumerConfig.FETCH_MIN_BYTES_CONFIG, "1",
				ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "3000", ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, "2000",
				ConsumerConfig.CLIENT_ID_CONFIG, "backlog"));
		this.configuration = own;
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
	synchronized void measure() throws InterruptedException {
		try {
			if (this.admin == null) {
				this.admin = Admin.create(this.configuration);
			}
			if (this.consumer == null) {
				this.consumer = new KafkaConsumer<>(this.configuration);
			}
			measure(this.admin, this.consumer);
		}
		catch (KafkaException | ExecutionException | TimeoutException ex) {
			logger.debug("The backlog can't be measured now: {}",
					NestedExceptionUtils.getMostSpecificCause(ex).toString());
		}
	}

	private void measure(Admin admin, Consumer<byte[], byte[]> consumer)
			throws InterruptedException, ExecutionException, TimeoutException {
		List<TopicPartition> partitions = consumer.partitionsFor(this.topic)
			.stream()
			.map((partition) -> new TopicPartition(this.topic, partition.partition()))
			.toList();
		Instant at = Instant.now();
		// in this order, so that what is published meanwhile counts as waiting
		Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(this.group)
			.partitionsToOffsetAndMetadata()
			.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
		Map<TopicPartition, Long> starts = offsets(admin, partitions, OffsetSpec.earliest());
		Map<TopicPartition, Long> ends = offsets(admin, partitions, OffsetSpec.latest());
		Map<TopicPartition, Long> behind = new HashMap<>();
		for (TopicPartition partition : partitions) {
			OffsetAndMetadata commit = committed.get(partition);
			long next = Math.max(starts.getOrDefault(partition, 0L), (commit != null) ? commit.offset() : 0);
			if (next < ends.getOrDefault(partition, 0L)) {
				behind.put(partition, next);
			}
		}
		try {
			look(consumer, behind);
		}
		catch (KafkaException ex) {
			// as when the topic may not be read: the lag is known all the same
			logger.debug("What waits can't be looked at now: {}", ex.toString());
		}
		for (TopicPartition partition : partitions) {
			long end = ends.getOrDefault(partition, 0L);
			long waiting = Math.max(0, end - behind.getOrDefault(partition, end));
			if (this.lag.put(partition.partition(), waiting) == null) {
				this.metrics.lag(partition.partition(), () -> this.lag.getOrDefault(partition.partition(), 0L));
			}
		}
		// a topic that was created again may have fewer
		this.lag.keySet().retainAll(partitions.stream().map(TopicPartition::partition).toList());
		this.snapshot = new Snapshot(at, ends.values().stream().mapToLong(Long::longValue).sum(),
				this.lag.values().stream().mapToLong(Long::longValue).sum(), oldest(behind));
	}

	private static Map<TopicPartition, Long> offsets(Admin admin, List<TopicPartition> partitions, OffsetSpec which)
			throws InterruptedException, ExecutionException, TimeoutException {
		Map<TopicPartition, Long> offsets = new HashMap<>();
		admin
			.listOffsets(partitions.stream().collect(Collectors.toMap(Function.identity(), (partition) -> which)),
					new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
			.all()
			.get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
			.forEach((partition, end) -> offsets.put(partition, end.offset()));
		return offsets;
	}

	/**
	 * Looks at the first record that waits on each partition, for a second.
	 * @param behind where to look; moved on where there is no record, as where nothing
	 * but the marker of a transaction's end stands, which nobody ever commits
	 */
	private void look(Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> behind) {
		consumer.assign(behind.keySet());
		// what was paused the last time stays so otherwise
		consumer.resume(behind.keySet());
		behind.forEach(consumer::seek);
		Set<TopicPartition> unseen = new HashSet<>(behind.keySet());
		long start = System.nanoTime();
		while (!unseen.isEmpty() && System.nanoTime() - start < LOOK.toNanos()) {
			for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
				TopicPartition partition = new TopicPartition(record.topic(), record.partition());
				if (unseen.remove(partition)) {
					this.first.put(partition, new First(record.offset(), record.timestamp()));
					consumer.pause(List.of(partition));
				}
			}
		}
		unseen.forEach((partition) -> behind.put(partition, consumer.position(partition)));
	}

	/**
	 * When the oldest that waits was published. Where none could be seen in time, the one
	 * seen before counts, if it still waits.
	 */
	private @Nullable Instant oldest(Map<TopicPartition, Long> behind) {
		this.first.entrySet().removeIf((first) -> {
			Long next = behind.get(first.getKey());
			return next == null || first.getValue().offset() < next;
		});
		return this.first.values()
			.stream()
			.map(First::timestamp)
			.min(Comparator.naturalOrder())
			.map(Instant::ofEpochMilli)
			.orElse(null);
	}

	@Override
	public synchronized void destroy() {
		if (this.consumer != null) {
			this.consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
		}
		if (this.admin != null) {
			this.admin.close(Duration.ofSeconds(1));
		}
	}

	/**
	 * A record that waits.
	 *
	 * @param offset where it stands
	 * @param timestamp when it was published, in milliseconds
	 */
	private record First(long offset, long timestamp) {

	}

	/**
	 * How far behind the group was.
	 *
	 * @param at when, at the latest
	 * @param published how many records the topic had ever
	 * @param waiting how many of them are not committed
	 * @param oldest when the oldest of these was published, {@code null} when none waits
	 */
	record Snapshot(Instant at, long published, long waiting, @Nullable Instant oldest) {

		/**
		 * Whether it still says something.
		 */
		boolean isRecent() {
			return this.at.isAfter(Instant.now().minus(RECENT));
		}

	}

}
