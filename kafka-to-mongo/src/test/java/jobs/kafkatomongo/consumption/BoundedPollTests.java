package jobs.kafkatomongo.consumption;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** With Kafka's own mock of a consumer; {@code BoundsTests} has a broker and a heap. */
class BoundedPollTests {

	private static final TopicPartition FIRST = new TopicPartition("topic", 0);

	private static final TopicPartition SECOND = new TopicPartition("topic", 1);

	private final MockConsumer<byte[], byte[]> kafka = new MockConsumer<>("none");

	private final AtomicLong nanos = new AtomicLong();

	private final BoundedPoll bounded = new BoundedPoll(this.kafka, 10, BoundedPoll.BATCH_BYTES, this.nanos::get);

	@BeforeEach
	void assign() {
		this.kafka.setMaxPollRecords(10);
		this.kafka.assign(List.of(FIRST, SECOND));
		this.kafka.updateBeginningOffsets(new HashMap<>(Map.of(FIRST, 0L, SECOND, 0L)));
		this.kafka.seekToBeginning(List.of(FIRST, SECOND));
	}

	@Test
	void gathersWhatIsFetchedInOrder() {
		add(FIRST, 25, 1);
		add(SECOND, 25, 1);

		ConsumerRecords<byte[], byte[]> batch = this.bounded.poll(Duration.ZERO);

		assertThat(batch.count()).isEqualTo(50);
		for (TopicPartition partition : List.of(FIRST, SECOND)) {
			assertThat(batch.records(partition)).extracting(ConsumerRecord::offset)
				.isSorted()
				.doesNotHaveDuplicates()
				.hasSize(25);
			assertThat(batch.nextOffsets().get(partition).offset()).isEqualTo(25);
		}
	}

	@Test
	void endsABatchAtItsBytes() {
		add(FIRST, 100, BoundedPoll.BATCH_BYTES / 25);

		assertThat(this.bounded.poll(Duration.ZERO).count()).isEqualTo(30);
		assertThat(this.bounded.poll(Duration.ZERO).count()).isEqualTo(30);
		assertThat(this.bounded.poll(Duration.ZERO).count()).isEqualTo(30);
		assertThat(this.bounded.poll(Duration.ZERO).count()).isEqualTo(10);
	}

	@Test
	void endsABatchAtItsRecords() {
		add(FIRST, BoundedPoll.BATCH_RECORDS + 5, 1);

		assertThat(this.bounded.poll(Duration.ZERO).count()).isEqualTo(BoundedPoll.BATCH_RECORDS);
		assertThat(this.bounded.poll(Duration.ZERO).count()).isEqualTo(5);
	}

	/**
	 * Their offsets are behind the consumer's position: no poll would bring them again.
	 */
	@Test
	void losesNothingOfABatchThatAFailureEnds() {
		for (RuntimeException failure : List.of(new TopicAuthorizationException("topic"),
				new IllegalStateException("A fault of Kafka's client"))) {
			add(FIRST, Math.toIntExact(this.kafka.position(FIRST)), 10, 1);
			this.kafka.schedulePollTask(() -> {
				// the first poll is as usual
			});
			this.kafka.schedulePollTask(() -> {
				throw failure;
			});

			assertThat(this.bounded.poll(Duration.ZERO).count()).as(failure.toString()).isEqualTo(10);
		}
	}

	/** As that of the dead letters, whose batches stay small. */
	@Test
	void leavesAConsumerWithLargerPollsAsItIs() {
		this.kafka.setMaxPollRecords(100);
		add(FIRST, 250, 1);

		assertThat(this.bounded.poll(Duration.ZERO).count()).isEqualTo(100);
		assertThat(this.bounded.poll(Duration.ZERO).count()).isEqualTo(100);
		assertThat(this.bounded.poll(Duration.ZERO).count()).isEqualTo(50);
	}

	@Test
	void throwsWhatTheFirstPollThrows() {
		this.kafka.setPollException(new KafkaException("No"));

		assertThatExceptionOfType(KafkaException.class).isThrownBy(() -> this.bounded.poll(Duration.ZERO));
	}

	/** Whoever has it now reads its records from what is committed. */
	@Test
	void forgetsAPartitionThatIsTakenAwayMeanwhile() {
		add(FIRST, 10, 1);
		this.kafka.schedulePollTask(() -> {
			// the first poll is as usual
		});
		this.kafka.schedulePollTask(() -> {
			this.bounded.revoked(List.of(FIRST));
			add(SECOND, 3, 1);
		});

		ConsumerRecords<byte[], byte[]> batch = this.bounded.poll(Duration.ZERO);

		assertThat(batch.records(FIRST)).isEmpty();
		assertThat(batch.nextOffsets()).doesNotContainKey(FIRST);
		assertThat(batch.records(SECOND)).hasSize(3);
	}

	/** They came with the fetch that was sent before, and the others had to wait. */
	@Test
	void addsWhatHasComeWhileABatchWasStored() {
		add(FIRST, 0, 3, 1);
		add(SECOND, 0, 13, 1);
		this.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(50));
		this.kafka.schedulePollTask(() -> {
			// what is fetched
		});
		this.kafka.schedulePollTask(() -> {
			// the rest of it
		});
		this.kafka.schedulePollTask(() -> add(FIRST, 3, 15, 1));

		assertThat(this.bounded.poll(Duration.ZERO).count()).isEqualTo(31);
	}

	@Test
	void waitsForNoOthersWhereItWasNotAwayForLong() {
		handsOutTheFirst(2, 0);
	}

	/** They are new, since nothing was fetched before. */
	@Test
	void waitsForNoOthersAfterItHasWaitedForRecords() {
		handsOutTheFirst(50, 2);
	}

	private void handsOutTheFirst(int absenceMillis, int pollMillis) {
		add(FIRST, 0, 3, 1);
		this.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(absenceMillis));
		this.kafka.schedulePollTask(() -> this.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(pollMillis)));
		this.kafka.schedulePollTask(() -> add(FIRST, 3, 4, 1));

		assertThat(this.bounded.poll(Duration.ZERO).count()).isEqualTo(3);
		assertThat(this.bounded.poll(Duration.ZERO).count()).isEqualTo(4);
	}

	private void add(TopicPartition partition, int count, int bytes) {
		add(partition, 0, count, bytes);
	}

	private void add(TopicPartition partition, int from, int count, int bytes) {
		for (int i = from; i < from + count; i++) {
			this.kafka.addRecord(
					new ConsumerRecord<>(partition.topic(), partition.partition(), i, new byte[0], new byte[bytes]));
		}
	}

}
