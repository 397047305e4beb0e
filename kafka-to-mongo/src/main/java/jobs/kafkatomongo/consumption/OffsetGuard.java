package jobs.kafkatomongo.consumption;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import jobs.chassis.kafka.TopicIds;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps listeners from passing over records unseen. Each commit names the topic's id, so
 * that a topic that was deleted and created anew is read from its beginning, and the
 * epoch of the leader that had its records, so that Kafka tells where a broker has lost
 * some of them and taken others in their place. Where somebody else has committed beyond
 * what is stored, it reads again from there. Records that Kafka has deleted unread are
 * counted.
 */
public class OffsetGuard {

	private static final Logger logger = LoggerFactory.getLogger(OffsetGuard.class);

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	/**
	 * So long after partitions were assigned first, records wait for their topics' ids.
	 */
	private static final Duration START = Duration.ofSeconds(10);

	private final TopicIds topics;

	private final DeletedUnread deleted;

	private final StoredOffsets stored;

	private final AtomicLong start = new AtomicLong();

	/** The id of the topic that each partition is read from. */
	private final Map<TopicPartition, Uuid> ids = new ConcurrentHashMap<>();

	/** The offsets behind the records that were read last, with the leaders' epochs. */
	private final Map<TopicPartition, OffsetAndMetadata> next = new ConcurrentHashMap<>();

	/** The partitions from which nothing was read since their offset was set anew. */
	private final Set<TopicPartition> unread = ConcurrentHashMap.newKeySet();

	OffsetGuard(TopicIds topics, DeletedUnread deleted, StoredOffsets stored) {
		this.topics = topics;
		this.deleted = deleted;
		this.stored = stored;
	}

	/**
	 * The same commits, each with the id of the topic that its offset counts in, and with
	 * the epoch of the record before it, which spring-kafka leaves out. While the id is
	 * unknown, a commit names what the one before it named, which may be of a topic that
	 * is gone, and is left out where that one was somebody else's. A commit is left out,
	 * too, where the partition was set to another offset since its records were read.
	 * Throws KafkaException.
	 */
	Map<TopicPartition, OffsetAndMetadata> named(Consumer<?, ?> consumer,
			Map<TopicPartition, OffsetAndMetadata> commits) {
		Map<TopicPartition, OffsetAndMetadata> named = new HashMap<>(commits);
		named.keySet().removeAll(this.unread);
		Set<TopicPartition> unknown = new HashSet<>(named.keySet());
		unknown.removeAll(this.ids.keySet());
		Map<TopicPartition, OffsetAndMetadata> last = unknown.isEmpty() ? Map.of()
				: consumer.committed(unknown, TIMEOUT);
		last.forEach((partition, commit) -> {
			if (commit != null && !TopicIds.isMarked(commit)) {
				named.remove(partition);
			}
		});
		named.replaceAll((partition, commit) -> named(withEpoch(partition, commit), this.ids.get(partition),
				last.get(partition)));
		this.stored.note(named);
		return named;
	}

	private OffsetAndMetadata withEpoch(TopicPartition partition, OffsetAndMetadata commit) {
		OffsetAndMetadata read = this.next.get(partition);
		return (read != null && read.offset() == commit.offset())
				? new OffsetAndMetadata(commit.offset(), read.leaderEpoch(), commit.metadata()) : commit;
	}

	private static OffsetAndMetadata named(OffsetAndMetadata commit, @Nullable Uuid id,
			@Nullable OffsetAndMetadata last) {
		String unnamed = (last != null) ? last.metadata() : commit.metadata();
		return new OffsetAndMetadata(commit.offset(), commit.leaderEpoch(), (id != null) ? TopicIds.mark(id) : unnamed);
	}

	/** Notes that Kafka sets partitions to what is committed, so that it is looked at. */
	void assigned(Collection<TopicPartition> partitions) {
		partitions.forEach(this.ids::remove);
		partitions.forEach(this.next::remove);
		this.unread.addAll(partitions);
	}

	/**
	 * Remembers how far partitions are stored that another consumer may have now, and
	 * forgets them here.
	 */
	void revoked(Collection<TopicPartition> partitions) {
		this.stored.write();
		this.stored.forget(partitions);
	}

	/** Commits again how far a consumer is, without waiting for it. */
	void commitAgain(Consumer<?, ?> consumer, TopicPartition partition) {
		try {
			if (this.ids.containsKey(partition)) {
				consumer.commitAsync(Map.of(partition, new OffsetAndMetadata(consumer.position(partition, TIMEOUT))),
						null);
			}
		}
		catch (KafkaException ex) {
			logger.debug("A commit can't be repeated now: {}", ex.toString());
		}
	}

	/**
	 * Looks at each partition once it is assigned, and again when its topic is another
	 * one of the same name. It takes back the records that a commit on the old one has
	 * led to.
	 */
	ConsumerRecords<byte[], byte[]> verify(Consumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records) {
		Map<TopicPartition, Uuid> unknown = new HashMap<>();
		// also those without records, which an offset of an old topic may pass over
		for (TopicPartition partition : consumer.assignment()) {
			Uuid id = id(partition.topic());
			if (id != null && !id.equals(this.ids.get(partition))) {
				unknown.put(partition, id);
			}
		}
		ConsumerRecords<byte[], byte[]> safe = unknown.isEmpty() ? records
				: BoundedPoll.without(takenBack(consumer, records, unknown), records);
		this.unread.removeAll(safe.partitions());
		this.next.putAll(safe.nextOffsets());
		return safe;
	}

	private @Nullable Uuid id(String topic) {
		Uuid id = this.topics.id(topic);
		long now = System.nanoTime();
		long first = this.start.updateAndGet((before) -> (before != 0) ? before : now);
		try {
			while (id == null && System.nanoTime() - first < START.toNanos()) {
				Thread.sleep(50);
				id = this.topics.id(topic);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return id;
	}

	private Set<TopicPartition> takenBack(Consumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records,
			Map<TopicPartition, Uuid> unknown) {
		Set<TopicPartition> takenBack = new HashSet<>();
		try {
			Map<TopicPartition, OffsetAndMetadata> commits = consumer.committed(unknown.keySet(), TIMEOUT);
			boolean areOurs = commits.values()
				.stream()
				.allMatch((commit) -> commit == null || TopicIds.isMarked(commit));
			Map<TopicPartition, OffsetAndMetadata> own = areOurs ? Map.of() : this.stored.read();
			unknown.forEach((partition, id) -> {
				OffsetAndMetadata commit = commits.get(partition);
				this.deleted.register(partition);
				// Kafka deletes the commits with a topic, where it can
				boolean isNew = this.ids.put(partition, id) != null;
				if (isNew || (commit != null && TopicIds.isOfAnother(commit, id))) {
					this.unread.add(partition);
					DeletedUnread.log(partition, (commit != null) ? commit.offset() : -1, 0,
							"A topic was deleted and created anew; it is read from its beginning");
					consumer.seekToBeginning(List.of(partition));
					takenBack.add(partition);
				}
				else if (commit != null) {
					// of a partition where nothing comes, else it would be forgotten
					this.stored.note(Map.of(partition, commit));
					Long next = next(partition, commit, own, id);
					if (next != null) {
						this.unread.add(partition);
						this.deleted.countPassedOver(partition, commit.offset(), next);
						seek(consumer, partition, next);
						takenBack.add(partition);
					}
				}
			});
		}
		catch (KafkaException ex) {
			logger.debug("What was committed can't be looked at now: {}", ex.toString());
			for (TopicPartition partition : records.partitions()) {
				if (unknown.containsKey(partition)) {
					consumer.seek(partition, records.records(partition).getFirst().offset());
					takenBack.add(partition);
				}
			}
		}
		return takenBack;
	}

	private static void seek(Consumer<?, ?> consumer, TopicPartition partition, long next) {
		if (next == 0) {
			consumer.seekToBeginning(List.of(partition));
		}
		else {
			consumer.seek(partition, next);
		}
	}

	/**
	 * The offset from which to read where somebody else has committed, 0 for the
	 * beginning, and {@code null} where the commit is followed. Beyond what is stored a
	 * commit is a stranger's; before it, it is an operator's, who wants records to be
	 * read again. A partition that is not remembered is read from its beginning where
	 * others of its topic are. Where none is, as before the first record was ever stored,
	 * nobody can tell.
	 * @param own how far partitions are stored, as {@link StoredOffsets} remembers
	 * @param id the id of the topic
	 */
	public static @Nullable Long next(TopicPartition partition, OffsetAndMetadata commit,
			Map<TopicPartition, OffsetAndMetadata> own, @Nullable Uuid id) {
		if (TopicIds.isMarked(commit) || id == null) {
			return null;
		}
		String mark = TopicIds.mark(id);
		OffsetAndMetadata last = own.get(partition);
		if (last != null && last.metadata().equals(mark)) {
			return (last.offset() < commit.offset()) ? last.offset() : null;
		}
		boolean isRemembered = last != null || own.entrySet()
			.stream()
			.anyMatch(
					(one) -> one.getKey().topic().equals(partition.topic()) && one.getValue().metadata().equals(mark));
		return (isRemembered && commit.offset() > 0) ? 0L : null;
	}

	/**
	 * Goes on from the beginning where there is no record at a consumer's offset, and
	 * counts what Kafka has deleted before. Where Kafka does not tell the beginnings, as
	 * while one of the partitions has no leader, the others go on all the same, and
	 * nothing is counted.
	 */
	void reset(Consumer<?, ?> consumer, InvalidOffsetException invalid) {
		this.unread.addAll(invalid.partitions());
		try {
			Map<TopicPartition, Long> beginnings = consumer.beginningOffsets(invalid.partitions(), TIMEOUT);
			Map<TopicPartition, Long> offsets = (invalid instanceof OffsetOutOfRangeException outside)
					? outside.offsetOutOfRangePartitions() : Map.of();
			beginnings
				.forEach((partition, beginning) -> this.deleted.count(partition, offsets.get(partition), beginning));
			consumer.seekToBeginning(invalid.partitions());
			if (invalid instanceof NoOffsetForPartitionException) {
				// else what was deleted would count again after each rebalance
				Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();
				beginnings.forEach((partition, beginning) -> commits.put(partition,
						named(new OffsetAndMetadata(beginning), this.topics.id(partition.topic()), null)));
				this.stored.note(commits);
				consumer.commitAsync(commits, null);
			}
		}
		catch (WakeupException | InterruptException ex) {
			throw ex;
		}
		catch (KafkaException ex) {
			logger.atError()
				.addKeyValue("partitions", invalid.partitions())
				.addKeyValue("cause", ex.toString())
				.log("Partitions are read from their beginnings; whether records were deleted unread, is not known");
			consumer.seekToBeginning(invalid.partitions());
		}
	}

}
