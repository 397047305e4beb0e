package jobs.benchmarks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Makes topics, and piles up backlogs in them.
 */
final class Feed implements AutoCloseable {

	/** As many as the services give a topic that they create. */
	private static final int PARTITIONS = 6;

	private static final long LIMIT_SECONDS = 60;

	private final Map<String, Integer> partitions = new ConcurrentHashMap<>();

	private final Admin admin;

	private final KafkaProducer<byte[], byte[]> producer;

	private final Postings postings;

	Feed(String kafka, Postings postings) {
		this.postings = postings;
		this.admin = Admin.create(Map.of("bootstrap.servers", kafka));
		this.producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", kafka, "acks", "all", "linger.ms", 20, "batch.size", 256 * 1024),
				new ByteArraySerializer(), new ByteArraySerializer());
	}

	void create(String topic) throws ExecutionException, InterruptedException, TimeoutException {
		create(topic, PARTITIONS);
	}

	/** Creates a topic that this has not created yet. */
	void create(String topic, int partitions) throws ExecutionException, InterruptedException, TimeoutException {
		if (this.partitions.containsKey(topic)) {
			return;
		}
		this.admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
			.all()
			.get(LIMIT_SECONDS, TimeUnit.SECONDS);
		this.partitions.put(topic, partitions);
	}

	/**
	 * Appends jobs to a topic, and waits until it has them.
	 */
	void fill(String topic, int jobs) {
		fill(topic, jobs, this.postings::job);
	}

	/** Appends documents to a topic, and waits until it has them. */
	void fill(String topic, int jobs, IntFunction<byte[]> document) {
		AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
		for (int i = 0; i < jobs; i++) {
			this.producer.send(new ProducerRecord<>(topic, Keys.next(), document.apply(i)), (metadata, ex) -> {
				if (ex != null) {
					failure.set(ex);
				}
			});
		}
		this.producer.flush();
		Exception ex = failure.get();
		if (ex != null) {
			throw new IllegalStateException("Kafka did not take a backlog", ex);
		}
	}

	/** Appends one record, whatever it is, and waits until the topic has it. */
	void append(String topic, String value) throws ExecutionException, InterruptedException, TimeoutException {
		this.producer.send(new ProducerRecord<>(topic, Keys.next(), value.getBytes(StandardCharsets.UTF_8)))
			.get(LIMIT_SECONDS, TimeUnit.SECONDS);
	}

	/** Has a topic refuse larger records, and waits until it does. */
	void bound(String topic, int bytes) throws ExecutionException, InterruptedException, TimeoutException {
		ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
		String bound = Integer.toString(bytes);
		this.admin
			.incrementalAlterConfigs(
					Map.of(resource,
							List.of(new AlterConfigOp(new ConfigEntry(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, bound),
									AlterConfigOp.OpType.SET))))
			.all()
			.get(LIMIT_SECONDS, TimeUnit.SECONDS);
		long start = System.nanoTime();
		while (!bound.equals(boundOf(resource))) {
			if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
				throw new TimeoutException("Kafka did not bound " + topic);
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
		}
	}

	private @Nullable String boundOf(ConfigResource topic)
			throws ExecutionException, InterruptedException, TimeoutException {
		Config config = this.admin.describeConfigs(List.of(topic))
			.all()
			.get(LIMIT_SECONDS, TimeUnit.SECONDS)
			.get(topic);
		return Objects.requireNonNull(config).get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG).value();
	}

	/** How many records of a topic a group has not committed. */
	long lag(String topic, String group) throws ExecutionException, InterruptedException, TimeoutException {
		Map<TopicPartition, OffsetAndMetadata> committed = this.admin.listConsumerGroupOffsets(group)
			.partitionsToOffsetAndMetadata()
			.get(LIMIT_SECONDS, TimeUnit.SECONDS);
		return ends(topic).entrySet().stream().mapToLong((end) -> {
			OffsetAndMetadata offset = committed.get(end.getKey());
			return end.getValue() - ((offset != null) ? offset.offset() : 0);
		}).sum();
	}

	private Map<TopicPartition, Long> ends(String topic)
			throws ExecutionException, InterruptedException, TimeoutException {
		Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
		for (int i = 0; i < this.partitions.getOrDefault(topic, PARTITIONS); i++) {
			latest.put(new TopicPartition(topic, i), OffsetSpec.latest());
		}
		Map<TopicPartition, Long> ends = new HashMap<>();
		this.admin.listOffsets(latest)
			.all()
			.get(LIMIT_SECONDS, TimeUnit.SECONDS)
			.forEach((partition, end) -> ends.put(partition, end.offset()));
		return ends;
	}

	/**
	 * Deletes what a topic holds, so that neither the disk nor the page cache fills up.
	 */
	void clear(String topic) throws ExecutionException, InterruptedException, TimeoutException {
		Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
		ends(topic).forEach((partition, end) -> all.put(partition, RecordsToDelete.beforeOffset(end)));
		this.admin.deleteRecords(all).all().get(LIMIT_SECONDS, TimeUnit.SECONDS);
	}

	@Override
	public void close() {
		this.producer.close(Duration.ofSeconds(5));
		this.admin.close(Duration.ofSeconds(5));
	}

}
