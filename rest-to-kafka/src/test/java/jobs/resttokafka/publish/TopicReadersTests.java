package jobs.resttokafka.publish;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.kafka.TopicIds;
import jobs.chassis.operations.Warnings;
import jobs.testkit.Backends;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Somebody gave the two services topics of different names: each job would be answered
 * 202, and nobody would store it.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TopicReadersTests {

	private final String topic = "readers-" + UUID.randomUUID();

	private final String group = "group-" + this.topic;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final Warnings warnings = new Warnings(this.meters);

	private final LazyAdmin client = new LazyAdmin(Map.of("bootstrap.servers", Backends.get().kafka()));

	private final Admin admin = this.client.get();

	private Uuid id = Uuid.ZERO_UUID;

	@BeforeEach
	void createTopics() throws Exception {
		this.admin
			.createTopics(
					List.of(new NewTopic(this.topic, 2, (short) 1), new NewTopic(this.topic + "-2", 1, (short) 1)))
			.all()
			.get(20, TimeUnit.SECONDS);
		Awaitility.await().atMost(20, TimeUnit.SECONDS).ignoreExceptions().until(() -> {
			this.id = Objects
				.requireNonNull(this.admin.describeTopics(List.of(this.topic)).topicNameValues().get(this.topic))
				.get(5, TimeUnit.SECONDS)
				.topicId();
			return true;
		});
	}

	@AfterEach
	void close() {
		this.client.destroy();
	}

	@Test
	void warnsWhileNoGroupOfAKafkaToMongoReadsTheTopic() throws Exception {
		TopicReaders readers = readers(Duration.ZERO);

		readers.check();
		assertThat(gauge()).as("one look").isNaN();
		readers.check();

		assertThat(this.warnings.raised()).singleElement()
			.satisfies((one) -> assertThat(one.reason()).contains(
					"No kafka-to-mongo reads the topic '%s'".formatted(this.topic), "whose settings name this topic"));
		commit("");
		readers.check();
		assertThat(gauge()).as("a group that is no kafka-to-mongo's").isOne();
		commit(TopicIds.mark(Uuid.randomUuid()));
		readers.check();
		assertThat(gauge()).as("a group that has read another topic of this name").isOne();

		commit(TopicIds.mark(this.id));
		readers.check();

		assertThat(gauge()).isZero();
		assertThat(this.warnings.raised()).isEmpty();
	}

	/**
	 * The kafka-to-mongo was given another topic, and its old commits are still there.
	 */
	@Test
	void warnsWhereTheGroupReadsAnotherTopic() throws Exception {
		TopicReaders readers = readers(Duration.ZERO);
		// what that kafka-to-mongo remembers, where nobody is ever a member
		commit(this.group + TopicIds.STORED, TopicIds.mark(this.id));
		commit(TopicIds.mark(this.id));
		try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(Map.of("bootstrap.servers",
				Backends.get().kafka(), "group.id", this.group, "auto.offset.reset", "earliest"),
				new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
			consumer.subscribe(List.of(this.topic));
			await(() -> assigned(consumer, this.topic));
			readers.check();
			assertThat(gauge()).as("a member reads it").isZero();

			consumer.subscribe(List.of(this.topic + "-2"));
			await(() -> assigned(consumer, this.topic + "-2"));

			await(() -> {
				consumer.poll(Duration.ofMillis(100));
				readers.check();
				return gauge() == 1;
			});
		}
	}

	@Test
	void knowsNothingBeforeAKafkaToMongoHadTimeToStart() throws Exception {
		TopicReaders readers = readers(Duration.ofMinutes(2));

		readers.check();

		assertThat(gauge()).isNaN();
		assertThat(this.warnings.raised()).isEmpty();
	}

	private TopicReaders readers(Duration grace) {
		return new TopicReaders(this.client, (name) -> this.id, this.topic, grace, this.warnings.about("topic-unread"));
	}

	private static boolean assigned(KafkaConsumer<byte[], byte[]> consumer, String topic) {
		consumer.poll(Duration.ofMillis(100));
		return consumer.assignment().stream().anyMatch((one) -> one.topic().equals(topic));
	}

	private static void await(Callable<Boolean> state) {
		Awaitility.await().pollInSameThread().atMost(40, TimeUnit.SECONDS).until(state);
	}

	private void commit(String metadata) throws InterruptedException {
		commit(this.group, metadata);
	}

	private void commit(String group, String metadata) throws InterruptedException {
		Awaitility.await().atMost(20, TimeUnit.SECONDS).ignoreException(ExecutionException.class).until(() -> {
			this.admin
				.alterConsumerGroupOffsets(group,
						Map.of(new TopicPartition(this.topic, 1), new OffsetAndMetadata(0, metadata)))
				.all()
				.get(10, TimeUnit.SECONDS);
			return true;
		});
	}

	private double gauge() {
		return this.meters.get("jobs.warning").tag("about", "topic-unread").gauge().value();
	}

}
