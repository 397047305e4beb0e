package jobs.kafkatomongo.lag;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.kafka.TopicIds;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.consumption.StoredOffsets;
import jobs.kafkatomongo.lag.GroupOffsets.Range;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Measures how far behind the consumer group is: how many records are not committed, and
 * since when the oldest waits. It asks Kafka itself, every two seconds, because the
 * listener may be stuck or gone.
 */
@Component
public class ConsumerLag implements DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(ConsumerLag.class);

	private final Map<String, Object> configuration;

	private final String topic;

	private final MeterRegistry meters;

	private boolean isKnown = true;

	/** The partitions that have a gauge. */
	private final Set<Integer> registered = new HashSet<>();

	private final GroupOffsets offsets;

	/** The consumer of {@link OldestRecords} takes one thread at a time. */
	private final ReentrantLock measuring = new ReentrantLock();

	private @Nullable OldestRecords first;

	private volatile Snapshot snapshot = new Snapshot(Instant.EPOCH, System.nanoTime() - Snapshot.RECENT.toNanos(),
			Map.of(), Map.of(), null);

	ConsumerLag(ConsumerFactory<byte[], byte[]> consumers, LazyAdmin admin, Resource resource, TopicIds topics,
			StoredOffsets stored, MeterRegistry meters) {
		Map<String, Object> own = new HashMap<>(consumers.getConfigurationProperties());
		// without a group this client can't commit, whatever else is configured
		String group = String.valueOf(own.remove(ConsumerConfig.GROUP_ID_CONFIG));
		this.offsets = new GroupOffsets(admin, group, topics, stored);
		// a record behind an open transaction waits as well
		own.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
		// one record of each partition is looked at, so one byte is enough to ask for
		own.putAll(Map.of(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false", ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
				"1", ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, "1", ConsumerConfig.FETCH_MIN_BYTES_CONFIG, "1",
				ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest", ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
				"3000", ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, "2000", ConsumerConfig.CLIENT_ID_CONFIG,
				resource.named("backlog")));
		this.configuration = own;
		this.topic = resource.topic();
		this.meters = meters;
		Gauge
			.builder("jobs.oldest.waiting",
					() -> this.snapshot.isAgeKnown() ? ifKnown(this.snapshot.age().toMillis() / 1000.0) : Double.NaN)
			.baseUnit("seconds")
			.description(
					"Age of the oldest record that is not known to be stored, 0 when none waits, NaN while unknown")
			.register(meters);
	}

	private double ifKnown(double value) {
		return this.snapshot.isRecent() ? value : Double.NaN;
	}

	/** The latest measurement. */
	public Snapshot snapshot() {
		return this.snapshot;
	}

	/**
	 * The latest measurement after one that begins now, if none has begun after a time of
	 * {@link System#nanoTime()}. It does not wait for one that is under way, nor measures
	 * while Kafka has not answered lately.
	 */
	public Snapshot snapshotSince(long nanos) throws InterruptedException {
		if (!this.snapshot.isAfter(nanos) && this.snapshot.isRecent() && this.measuring.tryLock()) {
			try {
				measure();
			}
			finally {
				this.measuring.unlock();
			}
		}
		return this.snapshot;
	}

	@Scheduled(fixedDelay = 2000)
	void measure() throws InterruptedException {
		this.measuring.lockInterruptibly();
		try {
			if (this.first == null) {
				this.first = new OldestRecords(this.configuration);
			}
			measure(this.first);
			if (!this.isKnown) {
				logger.info("How far behind the group is, is known again");
			}
			this.isKnown = true;
		}
		catch (KafkaException | ExecutionException | TimeoutException ex) {
			if (this.isKnown) {
				logger.atWarn()
					.addKeyValue("cause", NestedExceptionUtils.getMostSpecificCause(ex).toString())
					.log("How far behind the group is, can't be measured now");
			}
			this.isKnown = false;
		}
		finally {
			this.measuring.unlock();
		}
	}

	private void measure(OldestRecords first) throws InterruptedException, ExecutionException, TimeoutException {
		List<TopicPartition> partitions = first.partitionsOf(this.topic);
		Instant at = Instant.now();
		long nanos = System.nanoTime();
		Map<TopicPartition, Range> ranges = this.offsets.of(partitions);
		Map<TopicPartition, Long> behind = new HashMap<>();
		ranges.forEach((partition, range) -> {
			if (range.next() < range.end()) {
				behind.put(partition, range.next());
			}
		});
		try {
			first.find(behind);
		}
		catch (KafkaException ex) {
			// the lag is known even where the topic may not be read
			logger.debug("What waits can't be looked at now: {}", ex.toString());
		}
		Map<Integer, Long> next = new HashMap<>();
		Map<Integer, Long> end = new HashMap<>();
		ranges.forEach((partition, range) -> {
			end.put(partition.partition(), range.end());
			next.put(partition.partition(), Math.min(behind.getOrDefault(partition, range.end()), range.end()));
		});
		this.snapshot = new Snapshot(at, nanos, next, end, first.oldest(behind));
		end.keySet().forEach(this::register);
	}

	private void register(int partition) {
		if (this.registered.add(partition)) {
			Gauge.builder("jobs.lag", () -> ifKnown(this.snapshot.waiting(partition)))
				.description("Records of a partition that are not known to be stored, NaN while unknown")
				.tag("partition", Integer.toString(partition))
				.register(this.meters);
		}
	}

	@Override
	public void destroy() {
		this.measuring.lock();
		try {
			if (this.first != null) {
				this.first.close();
			}
		}
		finally {
			this.measuring.unlock();
		}
	}

	/**
	 * How far behind the group was.
	 *
	 * @param at when the measurement began
	 * @param nanos the same, as {@link System#nanoTime()} had it: a clock may be set
	 * @param next the offset from which records of a partition are not committed
	 * @param end the end of each partition
	 * @param oldest when the oldest record that is not committed was published,
	 * {@code null} when none waits
	 */
	public record Snapshot(Instant at, long nanos, Map<Integer, Long> next, Map<Integer, Long> end,
			@Nullable Instant oldest) {

		/** A snapshot is recent up to this age; a new one comes every two seconds. */
		private static final Duration RECENT = Duration.ofSeconds(10);

		/** How many records the topic ever had, by its offsets. */
		public long published() {
			return this.end.values().stream().mapToLong(Long::longValue).sum();
		}

		/** How many records are not committed. */
		public long waiting() {
			return this.end.keySet().stream().mapToLong(this::waiting).sum();
		}

		/** How many records of a partition are not committed, 0 where there is none. */
		long waiting(int partition) {
			return this.end.getOrDefault(partition, 0L) - this.next.getOrDefault(partition, 0L);
		}

		/** Whether the snapshot is less than ten seconds old. */
		public boolean isRecent() {
			return System.nanoTime() - this.nanos < RECENT.toNanos();
		}

		/** Whether it is known since when the oldest record waits, if one does. */
		boolean isAgeKnown() {
			return waiting() == 0 || this.oldest != null;
		}

		/** Whether the measurement began after a time of {@link System#nanoTime()}. */
		public boolean isAfter(long nanos) {
			return this.nanos - nanos > 0;
		}

		/** How long the oldest record has waited by now, zero when none waits. */
		Duration age() {
			Duration age = (this.oldest != null) ? Duration.between(this.oldest, Instant.now()) : Duration.ZERO;
			return age.isNegative() ? Duration.ZERO : age;
		}

	}

}
