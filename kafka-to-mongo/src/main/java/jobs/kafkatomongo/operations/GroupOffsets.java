package jobs.kafkatomongo.operations;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

import jobs.chassis.kafka.TopicIds;
import jobs.kafkatomongo.outage.OffsetGuard;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Asks Kafka for the offsets of a topic and of a consumer group. */
class GroupOffsets implements AutoCloseable {

	private static final long TIMEOUT_SECONDS = 3;

	private final Admin admin;

	private final String group;

	private final TopicIds topics;

	GroupOffsets(Map<String, Object> configuration, String group, TopicIds topics) {
		this.admin = Admin.create(configuration);
		this.group = group;
		this.topics = topics;
	}

	/**
	 * The ends of partitions, and where the group goes on. The group is asked first, so
	 * that records published meanwhile count as waiting. A commit on a deleted topic of
	 * the same name counts as none.
	 */
	Map<TopicPartition, Range> of(List<TopicPartition> partitions)
			throws InterruptedException, ExecutionException, TimeoutException {
		Map<TopicPartition, OffsetAndMetadata> committed = this.admin.listConsumerGroupOffsets(this.group)
			.partitionsToOffsetAndMetadata()
			.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
		Map<TopicPartition, Long> starts = offsets(partitions, OffsetSpec.earliest());
		Map<TopicPartition, Long> ends = offsets(partitions, OffsetSpec.latest());
		Map<TopicPartition, Range> ranges = new HashMap<>();
		for (TopicPartition partition : partitions) {
			OffsetAndMetadata commit = committed.get(partition);
			long next = Math.max(starts.getOrDefault(partition, 0L), offset(partition, commit));
			ranges.put(partition, new Range(next, ends.getOrDefault(partition, 0L)));
		}
		return ranges;
	}

	private long offset(TopicPartition partition, @Nullable OffsetAndMetadata commit) {
		return (commit == null || OffsetGuard.isOfAnother(commit, this.topics.id(partition.topic()))) ? 0
				: commit.offset();
	}

	private Map<TopicPartition, Long> offsets(List<TopicPartition> partitions, OffsetSpec which)
			throws InterruptedException, ExecutionException, TimeoutException {
		Map<TopicPartition, Long> offsets = new HashMap<>();
		this.admin
			.listOffsets(partitions.stream().collect(Collectors.toMap(Function.identity(), (partition) -> which)),
					new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
			.all()
			.get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
			.forEach((partition, end) -> offsets.put(partition, end.offset()));
		return offsets;
	}

	@Override
	public void close() {
		this.admin.close(Duration.ofSeconds(1));
	}

	/** The offset where the group goes on, and the end of what it may read. */
	record Range(long next, long end) {

	}

}
