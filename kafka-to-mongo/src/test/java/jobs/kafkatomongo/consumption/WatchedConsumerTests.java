package jobs.kafkatomongo.consumption;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.operations.Warnings;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * With Kafka's own mock of a consumer; the chaos run takes rights away at a real broker.
 */
@ExtendWith(OutputCaptureExtension.class)
class WatchedConsumerTests {

	private static final int AT_ONCE = 10;

	private static final TopicPartition PARTITION = new TopicPartition("topic", 0);

	private Uuid id = Uuid.randomUuid();

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	/** How far this service has stored the partition, as it remembers. */
	private Map<TopicPartition, OffsetAndMetadata> stored = Map.of();

	private final OffsetGuard offsets = new OffsetGuard((topic) -> this.id, new DeletedUnread(this.meters),
			new StoredOffsets(new LazyAdmin(Map.of()), "stored",
					new Warnings(new SimpleMeterRegistry()).about("stored-offsets")) {

				@Override
				public Map<TopicPartition, OffsetAndMetadata> read() {
					return WatchedConsumerTests.this.stored;
				}

				@Override
				void note(Map<TopicPartition, OffsetAndMetadata> commits) {
					WatchedConsumerTests.this.noted.putAll(commits);
				}

			});

	/** What is remembered of this consumer. */
	private final Map<TopicPartition, OffsetAndMetadata> noted = new HashMap<>();

	private final Refusals refusals = new Refusals();

	private final MockConsumer<byte[], byte[]> kafka = new MockConsumer<>("none");

	private final Consumer<byte[], byte[]> consumer = WatchedConsumer.watch(this.kafka, AT_ONCE,
			BoundedPoll.BATCH_BYTES, this.offsets, this.refusals);

	@BeforeEach
	void assign() {
		this.kafka.assign(List.of(PARTITION));
		this.kafka.updateBeginningOffsets(new HashMap<>(Map.of(PARTITION, 0L)));
		this.kafka.seek(PARTITION, 0);
	}

	@Test
	@Tag("long")
	void waitsWhileKafkaRefusesAndSaysWhyOnce(CapturedOutput log) {
		for (int i = 0; i < 3; i++) {
			this.kafka.setPollException(new TopicAuthorizationException(Set.of("topic")));
			assertThat(poll()).isZero();
		}

		assertThat(this.refusals.first().map(Refusals.Refusal::reason))
			.contains("Kafka does not let this service read topic");
		assertThat(log.toString().split("A listener waits", -1)).hasSize(2);

		add(0);
		assertThat(poll()).isOne();

		assertThat(this.refusals.first().map(Refusals.Refusal::reason)).isEmpty();
		assertThat(log.toString().split("Kafka admits the listener again", -1)).hasSize(2);
	}

	/** A poll that fetches nothing tells nothing of rights. */
	@Test
	void isStillRefusedAfterAPollThatBringsNothing() {
		this.kafka.setPollException(new TopicAuthorizationException(Set.of("topic")));
		poll();

		assertThat(poll()).isZero();

		assertThat(this.refusals.first()).isPresent();
	}

	@Test
	void namesTheGroupThatItMayNotJoin() {
		this.kafka.setPollException(GroupAuthorizationException.forGroupId("group-id-1"));

		poll();

		assertThat(this.refusals.first().map(Refusals.Refusal::reason))
			.contains("Kafka does not let this service join the group group-id-1");
	}

	@Test
	void commitsWithTheIdOfTheTopic() {
		add(0);
		poll();

		this.consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(1)));

		assertThat(this.kafka.committed(Set.of(PARTITION)).get(PARTITION).metadata()).isEqualTo("topic-id=" + this.id);
	}

	/**
	 * Without it, Kafka can't tell that a broker has lost records and taken others at
	 * their offsets.
	 */
	@Test
	void commitsWithTheEpochOfTheLeaderThatHadTheRecords() {
		this.kafka.addRecord(new ConsumerRecord<>("topic", 0, 0, 0, TimestampType.CREATE_TIME, 0, 0, new byte[0],
				new byte[0], new RecordHeaders(), Optional.of(7)));
		poll();

		this.consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(1)));

		assertThat(this.kafka.committed(Set.of(PARTITION)).get(PARTITION).leaderEpoch()).contains(7);
	}

	/** Spring's container asks for the position when it gets a partition. */
	@Test
	void readsAPartitionFromItsBeginningOfWhichKafkaHasLostWhatWasCommitted(CapturedOutput log) {
		AtomicBoolean isLost = new AtomicBoolean(true);
		MockConsumer<byte[], byte[]> member = new MockConsumer<>("none") {

			@Override
			public long position(TopicPartition partition) {
				if (isLost.getAndSet(false)) {
					throw new LogTruncationException(Map.of(partition, 50L),
							Map.of(partition, new OffsetAndMetadata(25)));
				}
				return super.position(partition);
			}

		};
		member.updateBeginningOffsets(new HashMap<>(Map.of(PARTITION, 0L)));
		member.assign(List.of(PARTITION));
		member.seek(PARTITION, 50);

		assertThat(WatchedConsumer.watch(member, AT_ONCE, BoundedPoll.BATCH_BYTES, this.offsets, this.refusals)
			.position(PARTITION)).isZero();
		assertThat(log).contains("A partition ends before what was read; it is read from its beginning");
	}

	@Test
	void readsATopicThatWasCreatedAnewFromItsBeginning() {
		add(0);
		poll();
		this.consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(1)));
		this.id = Uuid.randomUuid();
		add(1);

		assertThat(poll()).as("The record at the old offset is taken back").isZero();

		assertThat(this.kafka.position(PARTITION)).isZero();
	}

	/**
	 * The new topic has as many records as the old one had, so no fetch brings one.
	 */
	@Test
	void readsATopicThatWasCreatedAnewAlsoWhereNoRecordComesAtTheOldOffset() {
		add(0);
		poll();
		this.consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(1)));
		this.id = Uuid.randomUuid();

		poll();

		assertThat(this.kafka.position(PARTITION)).isZero();
	}

	/** Kafka deletes the commits of a group with the topic. */
	@Test
	void readsATopicThatWasCreatedAnewFromItsBeginningAlsoWhereNoCommitIsLeft() {
		MockConsumer<byte[], byte[]> member = new MockConsumer<>("none");
		Consumer<byte[], byte[]> watched = WatchedConsumer.watch(member, AT_ONCE, BoundedPoll.BATCH_BYTES, this.offsets,
				this.refusals);
		member.updateBeginningOffsets(new HashMap<>(Map.of(PARTITION, 0L)));
		member.assign(List.of(PARTITION));
		member.seek(PARTITION, 5);
		watched.poll(Duration.ofMillis(10));
		this.id = Uuid.randomUuid();

		watched.poll(Duration.ofMillis(10));

		assertThat(member.position(PARTITION)).isZero();
		watched.commitSync(Map.of(PARTITION, new OffsetAndMetadata(5)));
		assertThat(member.committed(Set.of(PARTITION)).get(PARTITION)).as("A batch of the old topic").isNull();
	}

	/** As with a batch whose compression this machine can't undo. */
	@Test
	@Tag("long")
	void waitsAndSaysWhyWhateverElseKeepsKafkasClientFromReading(CapturedOutput log) {
		for (int i = 0; i < 2; i++) {
			this.kafka.setPollException(new KafkaException("topic-0", new UnsatisfiedLinkError("no zstd in /tmp")));
			assertThat(poll()).isZero();
		}

		assertThat(this.refusals.first().map(Refusals.Refusal::reason))
			.contains("Kafka's client can't read on: java.lang.UnsatisfiedLinkError: no zstd in /tmp");
		assertThat(log.toString().split("A listener waits", -1)).hasSize(2);
	}

	/** The container wakes its consumer up to stop it. */
	@Test
	void isStillWokenUp() {
		this.kafka.wakeup();

		assertThatExceptionOfType(WakeupException.class).isThrownBy(this::poll);
	}

	/**
	 * A rebalance sets the consumer back to what is committed, which is an offset of the
	 * old topic as long as nothing of the new one is stored.
	 */
	@Test
	void readsATopicThatWasCreatedAnewFromItsBeginningAlsoAfterARebalance() {
		MockConsumer<byte[], byte[]> member = new MockConsumer<>("none");
		Consumer<byte[], byte[]> watched = WatchedConsumer.watch(member, AT_ONCE, BoundedPoll.BATCH_BYTES, this.offsets,
				this.refusals);
		member.updateBeginningOffsets(new HashMap<>(Map.of(PARTITION, 0L)));
		watched.subscribe(List.of("topic"), new NoListener());
		for (int i = 0; i < 2; i++) {
			member.rebalance(List.of());
			member.rebalance(List.of(PARTITION));
			member.commitSync(Map.of(PARTITION, new OffsetAndMetadata(10, "topic-id=" + Uuid.randomUuid())));
			member.seek(PARTITION, 10);

			watched.poll(Duration.ofMillis(10));

			assertThat(member.position(PARTITION)).isZero();
		}
	}

	/** A batch of the old topic may be safe only after the new one was found. */
	@Test
	void commitsNoOffsetOfATopicThatIsGone() {
		add(0);
		poll();
		this.consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(1)));
		this.id = Uuid.randomUuid();
		poll();

		this.consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(5)));

		assertThat(this.kafka.committed(Set.of(PARTITION)).get(PARTITION).offset()).isOne();
		add(0);
		assertThat(poll()).isOne();
		this.consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(1)));
		assertThat(this.kafka.committed(Set.of(PARTITION)).get(PARTITION).metadata()).isEqualTo("topic-id=" + this.id);
	}

	/**
	 * Kafka told no id for a while, and the old commit is all that tells of the old
	 * topic.
	 */
	@Test
	@Tag("long")
	void readsATopicThatWasCreatedAnewFromItsBeginningAlsoWhereItsIdBecomesKnownLate() {
		Uuid known = this.id;
		this.kafka.commitSync(Map.of(PARTITION, new OffsetAndMetadata(1, "topic-id=" + Uuid.randomUuid())));
		this.kafka.seek(PARTITION, 1);
		this.id = null;
		add(1);
		assertThat(poll()).isOne();
		this.consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(2)));
		this.id = known;

		poll();

		assertThat(this.kafka.position(PARTITION)).isZero();
	}

	/** Kafka forgets what is not written again, and a stranger may come a year later. */
	@Test
	void remembersAPartitionWhereNothingComes() {
		OffsetAndMetadata commit = new OffsetAndMetadata(9, "topic-id=" + this.id);
		this.kafka.commitSync(Map.of(PARTITION, commit));
		this.kafka.seek(PARTITION, 9);

		poll();

		assertThat(this.noted).containsEntry(PARTITION, commit);
	}

	/** A tool that somebody runs with the group's name commits what nobody has stored. */
	@Test
	void readsAgainWhatSomebodyElseHasCommitted(CapturedOutput log) {
		this.stored = Map.of(PARTITION, new OffsetAndMetadata(3, "topic-id=" + this.id));
		this.kafka.commitSync(Map.of(PARTITION, new OffsetAndMetadata(9)));
		this.kafka.seek(PARTITION, 9);
		add(9);

		assertThat(poll()).isZero();

		assertThat(this.kafka.position(PARTITION)).isEqualTo(3);
		assertThat(this.meters.get("jobs.passed.over").counter().count()).isEqualTo(6);
		assertThat(log).contains("Somebody else has committed beyond what is stored");
	}

	/**
	 * An operator sets offsets back; a service that has stored nothing yet has nothing to
	 * say.
	 */
	@ParameterizedTest
	@ValueSource(longs = { -1, 9, 12 })
	void followsAnOffsetThatItHasNoReasonToDoubt(long own) {
		this.stored = (own < 0) ? Map.of() : Map.of(PARTITION, new OffsetAndMetadata(own, "topic-id=" + this.id));
		this.kafka.commitSync(Map.of(PARTITION, new OffsetAndMetadata(9)));
		this.kafka.seek(PARTITION, 9);
		add(9);

		assertThat(poll()).isOne();
	}

	/**
	 * A stranger had the partition before this service, or the topic was created anew
	 * while it was there.
	 */
	@ParameterizedTest
	@CsvSource({ "0, false", "1, true" })
	void readsFromItsBeginningWhatOnlySomebodyElseHasCommitted(int remembered, boolean isOfThisTopic) {
		Uuid topic = isOfThisTopic ? Objects.requireNonNull(this.id) : Uuid.randomUuid();
		this.stored = Map.of(new TopicPartition("topic", remembered), new OffsetAndMetadata(3, "topic-id=" + topic));
		this.kafka.commitSync(Map.of(PARTITION, new OffsetAndMetadata(9)));
		this.kafka.seek(PARTITION, 9);
		add(9);

		assertThat(poll()).isZero();

		assertThat(this.kafka.position(PARTITION)).isZero();
	}

	/** It would look like a commit of this service, and be one of somebody else. */
	@Test
	@Tag("long")
	void commitsNothingInTheNameOfSomebodyElse() {
		this.kafka.commitSync(Map.of(PARTITION, new OffsetAndMetadata(9)));
		this.kafka.seek(PARTITION, 9);
		this.id = null;
		add(9);
		assertThat(poll()).isOne();

		this.consumer.commitSync(Map.of(PARTITION, new OffsetAndMetadata(10)));

		assertThat(this.kafka.committed(Set.of(PARTITION)).get(PARTITION).offset()).isEqualTo(9);
	}

	/** Kafka forgets the commits of a group that was away for a week. */
	@Test
	void countsWhatIsDeletedWhereNothingIsCommitted(CapturedOutput log) {
		this.kafka.updateBeginningOffsets(new HashMap<>(Map.of(PARTITION, 7L)));
		this.kafka.setPollException(new NoOffsetForPartitionException(PARTITION));

		poll();

		assertThat(this.meters.get("jobs.deleted.unread").counter().count()).isEqualTo(7);
		assertThat(log).contains("nothing is committed");
		assertThat(this.kafka.position(PARTITION)).isEqualTo(7);
		assertThat(this.kafka.committed(Set.of(PARTITION)).get(PARTITION))
			.as("Else the same records would count again after each rebalance")
			.isEqualTo(new OffsetAndMetadata(7, "topic-id=" + this.id));
	}

	/** One partition without a leader would else hold up all others of its consumer. */
	@Test
	void goesOnFromTheBeginningAlsoWhereKafkaDoesNotTellIt(CapturedOutput log) {
		this.kafka.updateBeginningOffsets(new HashMap<>(Map.of(PARTITION, 7L)));
		this.kafka.setPollException(new NoOffsetForPartitionException(PARTITION));
		this.kafka.setOffsetsException(new TimeoutException("no leader"));

		poll();

		assertThat(log).contains("whether records were deleted unread, is not known");
		assertThat(this.kafka.position(PARTITION)).isEqualTo(7);
	}

	private int poll() {
		return this.consumer.poll(Duration.ofMillis(10)).count();
	}

	private void add(long offset) {
		this.kafka.addRecord(new ConsumerRecord<>("topic", 0, offset, new byte[0], new byte[0]));
	}

	private static final class NoListener implements ConsumerRebalanceListener {

		@Override
		public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
			// nothing to do
		}

		@Override
		public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
			// nothing to do
		}

	}

}
