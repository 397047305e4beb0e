package jobs.kafkatomongo.consumption;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.operations.Warnings;
import jobs.testkit.Backends;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a service has stored, is remembered where nobody else commits.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoredOffsetsTests {

	private final String topic = "stored-" + UUID.randomUUID();

	private final TopicPartition first = new TopicPartition(this.topic, 0);

	private final TopicPartition second = new TopicPartition(this.topic, 1);

	private final String mark = "topic-id=" + Uuid.randomUuid();

	private final LazyAdmin admin = new LazyAdmin(Map.of("bootstrap.servers", Backends.get().kafka()));

	private final StoredOffsets offsets = new StoredOffsets(this.admin, this.topic,
			new Warnings(new SimpleMeterRegistry()).about("stored-offsets"));

	@AfterEach
	void close() {
		this.admin.destroy();
	}

	@Test
	void remembersTheLastCommitOfEachPartitionThatItStillHas() throws Exception {
		this.admin.get().createTopics(List.of(new NewTopic(this.topic, 2, (short) 1))).all().get(20, TimeUnit.SECONDS);
		this.offsets.note(Map.of(this.first, new OffsetAndMetadata(5, this.mark), this.second,
				new OffsetAndMetadata(7, this.mark)));
		await(5, 7);

		this.offsets.forget(List.of(this.second));
		this.offsets.note(Map.of(this.first, new OffsetAndMetadata(6, this.mark)));
		await(6, 7);

		this.offsets.note(Map.of(this.first, new OffsetAndMetadata(99)));
		this.offsets.write();

		assertThat(this.offsets.read().get(this.first).offset()).as("One of somebody else is none").isEqualTo(6);
	}

	@Test
	void saysWhereKafkaDoesNotAnswer() {
		LazyAdmin nowhere = new LazyAdmin(
				Map.of("bootstrap.servers", "127.0.0.1:1", "default.api.timeout.ms", 500, "request.timeout.ms", 500));

		assertThatExceptionOfType(KafkaException.class).isThrownBy(new StoredOffsets(nowhere, this.topic,
				new Warnings(new SimpleMeterRegistry()).about("stored-offsets"))::read);

		nowhere.destroy();
	}

	private void await(long first, long second) {
		Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
			this.offsets.write();
			assertThat(this.offsets.read()).containsOnly(Map.entry(this.first, new OffsetAndMetadata(first, this.mark)),
					Map.entry(this.second, new OffsetAndMetadata(second, this.mark)));
		});
	}

}
