package jobs.kafkatomongo.lag;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.kafka.TopicIds;
import jobs.kafkatomongo.consumption.OffsetGuard;
import jobs.kafkatomongo.consumption.StoredOffsets;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Asks Kafka for the offsets of a topic and of a consumer group. */
class GroupOffsets {

	private static final long TIMEOUT_SECONDS = 3;

	private final LazyAdmin admin;

	private final String group;

	private final TopicIds topics;

	private final StoredOffsets stored;

	GroupOffsets(LazyAdmin admin, String group, TopicIds topics, StoredOffsets stored) {
		this.admin = admin;
		this.group = group;
		this.topics = topics;
		this.stored = stored;
	}

	/**
	 * The ends of partitions, and where the group goes on. The group is asked first, so
	 * that records published meanwhile count as waiting. So do records behind a
	 * transaction that is open: the group does not get them yet. A commit on a deleted
	 * topic of the same name counts as none, and one of somebody else as far as this
	 * service has stored.
	 */
	Map<TopicPartition, Range> of(List<TopicPartition> partitions)
			throws InterruptedException, ExecutionException, TimeoutException {
		Map<TopicPartition, OffsetAndMetadata> committed = this.admin.get()
			.listConsumerGroupOffsets(this.group)
			.partitionsToOffsetAndMetadata()
			.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
		Map<TopicPartition, Long> starts = offsets(partitions, OffsetSpec.earliest());
		Map<TopicPartition, Long> ends = offsets(partitions, OffsetSpec.latest());
		boolean areOurs = committed.values().stream().allMatch((commit) -> commit == null || TopicIds.isMarked(commit));
		Map<TopicPartition, OffsetAndMetadata> own = areOurs ? Map.of() : this.stored.read();
		Map<TopicPartition, Range> ranges = new HashMap<>();
		for (TopicPartition partition : partitions) {
			OffsetAndMetadata commit = committed.get(partition);
			long next = Math.max(starts.getOrDefault(partition, 0L), offset(partition, commit, own));
			ranges.put(partition, new Range(next, ends.getOrDefault(partition, 0L)));
		}
		return ranges;
	}

	private long offset(TopicPartition partition, @Nullable OffsetAndMetadata commit,
			Map<TopicPartition, OffsetAndMetadata> own) {
		Uuid id = this.topics.id(partition.topic());
		if (commit == null || TopicIds.isOfAnother(commit, id)) {
			return 0;
		}
		return Objects.requireNonNullElse(OffsetGuard.next(partition, commit, own, id), commit.offset());
	}

	private Map<TopicPartition, Long> offsets(List<TopicPartition> partitions, OffsetSpec which)
			throws InterruptedException, ExecutionException, TimeoutException {
		Map<TopicPartition, Long> offsets = new HashMap<>();
		this.admin.get()
			.listOffsets(partitions.stream().collect(Collectors.toMap(Function.identity(), (partition) -> which)),
					new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
			.all()
			.get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
			.forEach((partition, end) -> offsets.put(partition, end.offset()));
		return offsets;
	}

	/** The offset where the group goes on, and the end of the partition. */
	record Range(long next, long end) {

	}

}
