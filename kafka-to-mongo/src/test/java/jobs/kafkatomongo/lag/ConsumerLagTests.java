package jobs.kafkatomongo.lag;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.operations.Warnings;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.consumption.StoredOffsets;
import jobs.testkit.Backends;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What waits is known, and looking at it changes nothing.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsumerLagTests {

	private final String topic = "backlog-" + UUID.randomUUID();

	private final Admin admin = Admin.create(Map.of("bootstrap.servers", Backends.get().kafka()));

	private @Nullable Uuid id;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final LazyAdmin lazyAdmin = new LazyAdmin(Map.of("bootstrap.servers", Backends.get().kafka()));

	private final ConsumerLag backlog = new ConsumerLag(
			new DefaultKafkaConsumerFactory<>(Map.of("bootstrap.servers", Backends.get().kafka(), "group.id",
					this.topic, "auto.commit.interval.ms", "1", "key.deserializer", ByteArrayDeserializer.class,
					"value.deserializer", ByteArrayDeserializer.class)),
			this.lazyAdmin, Records.jobs(this.topic), (topic) -> this.id, new StoredOffsets(this.lazyAdmin,
					this.topic + "-stored", new Warnings(new SimpleMeterRegistry()).about("stored-offsets")),
			this.meters);

	@BeforeEach
	void createTopic() throws Exception {
		this.admin.createTopics(List.of(new NewTopic(this.topic, 2, (short) 1))).all().get(10, TimeUnit.SECONDS);
	}

	@AfterEach
	void close() {
		this.backlog.destroy();
		this.lazyAdmin.destroy();
		this.admin.close();
	}

	/** Whatever the clock says, which somebody may set while a service runs. */
	@Test
	void tellsARecentMeasurementFromAnOldOneByNoClock() {
		long now = System.nanoTime();

		assertThat(new ConsumerLag.Snapshot(Instant.EPOCH, now, Map.of(), Map.of(), null).isRecent()).isTrue();
		assertThat(new ConsumerLag.Snapshot(Instant.now(), now - Duration.ofSeconds(11).toNanos(), Map.of(), Map.of(),
				null)
			.isRecent()).isFalse();
	}

	@Test
	void tellsHowManyRecordsWaitAndSinceWhenWithoutCommittingThem() throws Exception {
		publish(0, 2000);
		publish(0, 1000);
		publish(1, 3000);
		commit(0, 1);

		for (int i = 0; i < 3; i++) {
			this.backlog.measure();
		}

		Awaitility.await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> {
			this.backlog.measure();
			assertThat(this.backlog.snapshot().waiting()).isEqualTo(2);
		});
		assertThat(this.backlog.snapshot().published()).isEqualTo(3);
		assertThat(this.backlog.snapshot().oldest()).isEqualTo(Instant.ofEpochMilli(1000));
		assertThat(this.meters.get("jobs.lag").tag("partition", "1").gauge().value()).isEqualTo(1);
		assertThat(this.admin.listConsumerGroupOffsets(this.topic)
			.partitionsToOffsetAndMetadata()
			.get(10, TimeUnit.SECONDS))
			.containsExactly(Map.entry(new TopicPartition(this.topic, 0), new OffsetAndMetadata(1)));
	}

	/**
	 * Nobody who reads committed records gets what is behind it, for up to 15 minutes.
	 */
	@Test
	void knowsWhatWaitsBehindATransactionThatIsOpen() throws Exception {
		try (KafkaProducer<byte[], byte[]> other = inTransaction()) {
			other.send(new ProducerRecord<>(this.topic, 0, 3000L, null, new byte[1])).get(10, TimeUnit.SECONDS);
			publish(0, 4000);

			Awaitility.await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> {
				this.backlog.measure();
				assertThat(this.backlog.snapshot().waiting()).isEqualTo(2);
				assertThat(this.backlog.snapshot().oldest()).isEqualTo(Instant.ofEpochMilli(3000));
			});
			other.abortTransaction();
		}
	}

	@Test
	void knowsOfNothingThatWaitsOnceAllIsCommitted() throws Exception {
		publish(0, 1000);
		this.backlog.measure();
		commit(0, 1);

		Awaitility.await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> {
			this.backlog.measure();
			assertThat(this.backlog.snapshot().waiting()).isZero();
		});
		assertThat(this.backlog.snapshot().oldest()).isNull();
		assertThat(this.meters.get("jobs.oldest.waiting").gauge().value()).isZero();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void saysNothingInTheLogWhileAllIsWell(CapturedOutput log) throws Exception {
		publish(0, 1000);
		publish(0, 2000);
		commit(0, 1);
		// a broker that is busy makes the producer of this test wait for a new topic
		int begin = log.length();

		for (int i = 0; i < 3; i++) {
			this.backlog.measure();
		}

		assertThat(this.backlog.snapshot().isRecent()).isTrue();
		assertThat(log.toString().substring(begin)).doesNotContain("WARN").doesNotContain("ERROR");
	}

	@Test
	@Tag("long")
	void knowsNothingOfAnAgeOrALagThatItCouldNotMeasureForTenSeconds() throws Exception {
		publish(0, 1000);
		this.backlog.measure();
		assertThat(this.meters.get("jobs.lag").tag("partition", "0").gauge().value()).isEqualTo(1);

		// nobody measures, as while Kafka does not answer
		Awaitility.await()
			.atMost(20, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(this.meters.get("jobs.oldest.waiting").gauge().value()).isNaN());

		assertThat(this.meters.get("jobs.lag").tag("partition", "0").gauge().value()).isNaN();
	}

	@Test
	void countsAllThatWaitsOnATopicThatWasCreatedAnew() throws Exception {
		publish(0, 1000);
		this.admin
			.alterConsumerGroupOffsets(this.topic,
					Map.of(new TopicPartition(this.topic, 0),
							new OffsetAndMetadata(1, Optional.empty(), "topic-id=" + Uuid.randomUuid())))
			.all()
			.get(10, TimeUnit.SECONDS);
		this.id = Uuid.randomUuid();

		Awaitility.await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> {
			this.backlog.measure();
			assertThat(this.backlog.snapshot().waiting()).isEqualTo(1);
		});
	}

	/**
	 * After a transaction's last record stands a marker, which is no record and is
	 * committed by nobody.
	 */
	@Test
	void knowsThatTheEndOfATransactionIsNothingThatWaits() throws Exception {
		try (KafkaProducer<byte[], byte[]> producer = inTransaction()) {
			producer.send(new ProducerRecord<>(this.topic, 0, 1000L, null, new byte[1]));
			producer.commitTransaction();
		}
		Awaitility.await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> {
			this.backlog.measure();
			assertThat(this.backlog.snapshot().oldest()).isEqualTo(Instant.ofEpochMilli(1000));
		});

		commit(0, 1);

		Awaitility.await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> {
			this.backlog.measure();
			assertThat(this.backlog.snapshot().waiting()).isZero();
		});
		assertThat(this.backlog.snapshot().oldest()).isNull();
		assertThat(this.meters.get("jobs.lag").tag("partition", "0").gauge().value()).isZero();
	}

	private void commit(int partition, long offset) throws Exception {
		this.admin
			.alterConsumerGroupOffsets(this.topic,
					Map.of(new TopicPartition(this.topic, partition), new OffsetAndMetadata(offset)))
			.all()
			.get(10, TimeUnit.SECONDS);
	}

	private KafkaProducer<byte[], byte[]> inTransaction() {
		KafkaProducer<byte[], byte[]> producer = producer(Map.of("transactional.id", this.topic));
		producer.initTransactions();
		producer.beginTransaction();
		return producer;
	}

	private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> settings) {
		Map<String, Object> all = new HashMap<>(settings);
		all.put("bootstrap.servers", Backends.get().kafka());
		return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
	}

	private void publish(int partition, long timestamp) throws Exception {
		try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
			producer.send(new ProducerRecord<>(this.topic, partition, timestamp, null, new byte[1]))
				.get(10, TimeUnit.SECONDS);
		}
	}

}
