package jobs.endtoend.pair;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import jobs.testkit.Backends;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * What a run has left behind: the topic, the dead-letter topic, the group's offsets and
 * the documents.
 *
 * @param kafka the bootstrap servers
 * @param topic the topic
 * @param deadLetterTopic the dead-letter topic
 * @param group the consumer group
 * @param documents the collection of jobs
 * @param deadLetters the collection of dead letters
 */
public record Evidence(String kafka, String topic, String deadLetterTopic, String group,
		MongoCollection<BsonDocument> documents, MongoCollection<BsonDocument> deadLetters) {

	/** Begins the metadata of each commit of a kafka-to-mongo. */
	static final String MARK = "topic-id=";

	/** Ends the name of the group by which a kafka-to-mongo remembers what is stored. */
	static final String STORED = "-stored";

	/**
	 * What is there of a pair with {@link Pair#settings}.
	 * @param topic the topic of the jobs
	 * @param database its database
	 */
	public static Evidence of(String topic, MongoDatabase database) {
		return new Evidence(Backends.get().kafka(), topic, topic + "-dlt", topic,
				database.getCollection("jobs", BsonDocument.class),
				database.getCollection("deadLetters", BsonDocument.class));
	}

	public void forEachRecord(Consumer<ConsumerRecord<byte[], byte[]>> action) {
		read(this.topic, action);
	}

	public void forEachDeadLetter(Consumer<ConsumerRecord<byte[], byte[]>> action) {
		read(this.deadLetterTopic, action);
	}

	private void read(String topic, Consumer<ConsumerRecord<byte[], byte[]>> action) {
		try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
			List<TopicPartition> partitions = partitions(consumer, topic);
			consumer.assign(partitions);
			consumer.seekToBeginning(partitions);
			Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
			while (partitions.stream().anyMatch((partition) -> consumer.position(partition) < ends.get(partition))) {
				consumer.poll(Duration.ofMillis(100)).forEach(action);
			}
		}
	}

	public Map<TopicPartition, OffsetAndMetadata> committed() throws Exception {
		return committed(this.group);
	}

	private Map<TopicPartition, OffsetAndMetadata> committed(String group) throws Exception {
		try (Admin admin = Admin.create(Map.of("bootstrap.servers", this.kafka))) {
			return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get(30, TimeUnit.SECONDS);
		}
	}

	/**
	 * How many records of the two topics are not committed. A commit that no
	 * kafka-to-mongo has made may be a stranger's, and then the records before it come
	 * again: it counts as far as kafka-to-mongo remembers to have stored.
	 */
	public long lag() throws Exception {
		Map<TopicPartition, OffsetAndMetadata> stored = committed(this.group + STORED);
		return lag(this.topic, this.group, stored) + lag(this.deadLetterTopic, this.group + "-dead-letters", stored);
	}

	private long lag(String topic, String group, Map<TopicPartition, OffsetAndMetadata> stored) throws Exception {
		Map<TopicPartition, OffsetAndMetadata> committed = committed(group);
		try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
			return consumer.endOffsets(partitions(consumer, topic))
				.entrySet()
				.stream()
				.mapToLong((end) -> end.getValue() - safe(committed.get(end.getKey()), stored.get(end.getKey())))
				.sum();
		}
	}

	private static long safe(@Nullable OffsetAndMetadata commit, @Nullable OffsetAndMetadata stored) {
		if (commit == null) {
			return 0;
		}
		if (commit.metadata().startsWith(MARK)) {
			return commit.offset();
		}
		return (stored != null) ? Math.min(stored.offset(), commit.offset()) : 0;
	}

	/**
	 * The original position of a dead letter, as {@code partition#offset}.
	 */
	public static String position(ConsumerRecord<byte[], byte[]> deadLetter) {
		return header(deadLetter, "dlt-original-partition") + "#" + header(deadLetter, "dlt-original-offset");
	}

	public static String header(ConsumerRecord<byte[], byte[]> record, String name) {
		var header = record.headers().lastHeader(name);
		return (header != null) ? new String(header.value(), StandardCharsets.UTF_8) : "";
	}

	private KafkaConsumer<byte[], byte[]> consumer() {
		return new KafkaConsumer<>(Map.of("bootstrap.servers", this.kafka), new ByteArrayDeserializer(),
				new ByteArrayDeserializer());
	}

	private static List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer, String topic) {
		List<TopicPartition> partitions = new ArrayList<>();
		for (PartitionInfo partition : consumer.partitionsFor(topic)) {
			partitions.add(new TopicPartition(topic, partition.partition()));
		}
		return partitions;
	}

}
