package jobs.resttokafka.publish;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.kafka.TopicIds;
import jobs.chassis.operations.Warnings;
import jobs.contract.resources.Resources;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Looks once a minute whether any kafka-to-mongo reads a topic, and warns where none does
 * at two looks: documents are answered 202, and nobody stores them. A group is one of a
 * kafka-to-mongo where its commits name the topic's id. A group without members counts as
 * a reader, since it goes on when its kafka-to-mongo comes back. Where this service may
 * not see all groups, it can tell that the topic is read, and not that nobody reads it.
 */
final class TopicReaders {

	private static final Logger logger = LoggerFactory.getLogger(TopicReaders.class);

	private static final long TIMEOUT_SECONDS = 3;

	/** Time after a topic was first seen in which nobody has to read it. */
	private static final Duration UNREAD = Duration.ofMinutes(2);

	/** Groups whose commits are looked at; beyond: nobody can tell who reads a topic. */
	private static final int GROUPS = 1000;

	/** Partitions whose commits are looked at, the first ones. */
	private static final int PARTITIONS = 1000;

	private static final Set<GroupState> BETWEEN_MEMBERS = Set.of(GroupState.EMPTY, GroupState.PREPARING_REBALANCE,
			GroupState.COMPLETING_REBALANCE, GroupState.ASSIGNING, GroupState.RECONCILING);

	private final LazyAdmin admin;

	private final TopicIds topics;

	private final String topic;

	private final long graceNanos;

	private final Warnings.Warning warning;

	private @Nullable Uuid id;

	/** When the topic with this id was first looked at. */
	private long since;

	/**
	 * Whether the last look has found nobody: a tool that sets the offsets of a group
	 * takes its marks away, until the next commit.
	 */
	private boolean unread;

	/** The group that read the topic at the last look. */
	private @Nullable String reader;

	/**
	 * Looks at a topic; for the time {@code grace} after it was first seen, nobody has to
	 * read it yet.
	 */
	TopicReaders(LazyAdmin admin, TopicIds topics, String topic, Duration grace, Warnings.Warning warning) {
		this.admin = admin;
		this.topics = topics;
		this.topic = topic;
		this.graceNanos = grace.toNanos();
		this.warning = warning;
	}

	void check() throws InterruptedException {
		Uuid current = this.topics.id(this.topic);
		if (current == null) {
			return;
		}
		if (!current.equals(this.id)) {
			this.id = current;
			this.since = System.nanoTime();
			this.reader = null;
		}
		try {
			look(this.admin.get(), current);
		}
		catch (KafkaException | ExecutionException | TimeoutException ex) {
			this.warning.unknown();
			logger.debug("Who reads the topic can't be looked up now: {}", ex.toString());
		}
	}

	private void look(Admin admin, Uuid id) throws InterruptedException, ExecutionException, TimeoutException {
		if (this.reader != null && reader(admin, id, List.of(this.reader)) != null) {
			this.unread = false;
			this.warning.clear();
			return;
		}
		Set<String> all = await(admin.listGroups().valid()).stream()
			.map(GroupListing::groupId)
			.collect(Collectors.toSet());
		List<String> groups = all.stream().filter((group) -> !isMemory(group, all)).toList();
		this.reader = reader(admin, id, groups.stream().limit(GROUPS).toList());
		boolean before = this.unread;
		this.unread = this.reader == null && groups.size() <= GROUPS && seesAllGroups(admin)
				&& System.nanoTime() - this.since >= this.graceNanos;
		if (this.reader != null) {
			this.warning.clear();
		}
		else if (this.unread && before) {
			this.warning
				.raise(("No kafka-to-mongo reads the topic '%s', so what is answered 202 waits there until Kafka"
						+ " deletes it; start one whose settings name this topic")
					.formatted(this.topic));
		}
		else {
			this.warning.unknown();
		}
	}

	/** Whether a group is none, but what a kafka-to-mongo remembers of its own. */
	private static boolean isMemory(String group, Set<String> all) {
		return group.endsWith(TopicIds.STORED)
				&& all.contains(group.substring(0, group.length() - TopicIds.STORED.length()));
	}

	/** The first group that reads the topic with an id, or {@code null} for none. */
	private @Nullable String reader(Admin admin, Uuid id, List<String> groups)
			throws InterruptedException, ExecutionException, TimeoutException {
		List<TopicPartition> partitions = await(
				Objects.requireNonNull(admin.describeTopics(List.of(this.topic)).topicNameValues().get(this.topic)))
			.partitions()
			.stream()
			.limit(PARTITIONS)
			.map((partition) -> new TopicPartition(this.topic, partition.partition()))
			.toList();
		ListConsumerGroupOffsetsSpec spec = new ListConsumerGroupOffsetsSpec().topicPartitions(partitions);
		List<String> ours = new ArrayList<>();
		var offsets = admin
			.listConsumerGroupOffsets(groups.stream().collect(Collectors.toMap(Function.identity(), (_) -> spec)));
		for (String group : groups) {
			if (isOurs(offsets.partitionsToOffsetAndMetadata(group), id)) {
				ours.add(group);
			}
		}
		for (Map.Entry<String, KafkaFuture<ConsumerGroupDescription>> group : admin.describeConsumerGroups(ours)
			.describedGroups()
			.entrySet()) {
			if (reads(await(group.getValue()))) {
				return group.getKey();
			}
		}
		return null;
	}

	private static boolean isOurs(KafkaFuture<Map<TopicPartition, OffsetAndMetadata>> offsets, Uuid id)
			throws InterruptedException, TimeoutException {
		try {
			return await(offsets).values()
				.stream()
				.anyMatch((commit) -> commit != null && commit.metadata().equals(TopicIds.mark(id)));
		}
		catch (ExecutionException ex) {
			// a group that is gone meanwhile, or is of another kind
			return false;
		}
	}

	private boolean reads(ConsumerGroupDescription group) {
		return BETWEEN_MEMBERS.contains(group.groupState()) || group.members()
			.stream()
			.flatMap((member) -> member.assignment().topicPartitions().stream())
			.anyMatch((partition) -> partition.topic().equals(this.topic));
	}

	/** Kafka leaves out, without a word, the groups that a client may not see. */
	private static boolean seesAllGroups(Admin admin)
			throws InterruptedException, ExecutionException, TimeoutException {
		Set<AclOperation> rights = await(
				admin.describeCluster(new DescribeClusterOptions().includeAuthorizedOperations(true))
					.authorizedOperations());
		return rights != null && rights.contains(AclOperation.DESCRIBE);
	}

	private static <T> T await(KafkaFuture<T> future)
			throws InterruptedException, ExecutionException, TimeoutException {
		return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
	}

	/** Looks at the topics of all resources. */
	@Component
	static class OfAllResources {

		private final List<TopicReaders> all;

		OfAllResources(LazyAdmin admin, TopicIds topics, Resources resources, Warnings warnings) {
			this.all = resources.all()
				.stream()
				.map((resource) -> new TopicReaders(admin, topics, resource.topic(), UNREAD,
						warnings.about(resource.named("topic-unread"))))
				.toList();
		}

		@Scheduled(fixedDelay = 60, initialDelay = 10, timeUnit = TimeUnit.SECONDS)
		void check() throws InterruptedException {
			for (TopicReaders one : this.all) {
				one.check();
			}
		}

	}

}
