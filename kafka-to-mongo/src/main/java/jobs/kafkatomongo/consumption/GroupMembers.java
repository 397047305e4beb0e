package jobs.kafkatomongo.consumption;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.operations.Warnings;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * Asks Kafka every five seconds who is in the groups of the listeners. A consumer that
 * loses the right to be there is not told: it goes on reading, and commits nothing. A
 * member that is no kafka-to-mongo, such as a tool that somebody runs with the group's
 * name, takes partitions whose records nobody stores meanwhile.
 */
class GroupMembers {

	private static final Logger logger = LoggerFactory.getLogger(GroupMembers.class);

	private static final long TIMEOUT_SECONDS = 3;

	private static final DescribeConsumerGroupsOptions WITH_RIGHTS = new DescribeConsumerGroupsOptions()
		.includeAuthorizedOperations(true);

	/** Begins the client ids of all consumers of kafka-to-mongo. */
	static final String CLIENT_ID = "kafka-to-mongo";

	private final LazyAdmin admin;

	private final List<String> groups;

	private final Refusals refusals;

	private final Warnings warnings;

	/** The groups that had a strange member at the last look. */
	private final Set<String> strange = new HashSet<>();

	GroupMembers(LazyAdmin admin, List<String> groups, Refusals refusals, Warnings warnings) {
		this.admin = admin;
		this.groups = groups;
		this.refusals = refusals;
		this.warnings = warnings;
	}

	@Scheduled(fixedDelay = 5, timeUnit = TimeUnit.SECONDS)
	void check() throws InterruptedException {
		try {
			Map<String, KafkaFuture<ConsumerGroupDescription>> described = this.admin.get()
				.describeConsumerGroups(this.groups, WITH_RIGHTS)
				.describedGroups();
			for (Map.Entry<String, KafkaFuture<ConsumerGroupDescription>> group : described.entrySet()) {
				check(group.getKey(), group.getValue());
			}
		}
		catch (KafkaException ex) {
			logger.debug("The rights on groups can't be looked up now: {}", ex.toString());
		}
	}

	private void check(String group, KafkaFuture<ConsumerGroupDescription> described) throws InterruptedException {
		try {
			ConsumerGroupDescription description = described.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
			Set<AclOperation> rights = description.authorizedOperations();
			note(group, rights == null || rights.contains(AclOperation.READ));
			lookForStrangers(group, description.members());
		}
		catch (ExecutionException ex) {
			about(group).unknown();
			// nothing is known of a group that does not exist: Kafka drops that of a
			// refused consumer after a while
			if (ex.getCause() instanceof GroupAuthorizationException) {
				note(group, false);
			}
		}
		catch (TimeoutException ex) {
			about(group).unknown();
			// KafkaTopics tells that Kafka does not answer
		}
	}

	/** A version before 1.1.0 counts as a stranger, too: its client id tells nothing. */
	private void lookForStrangers(String group, Collection<MemberDescription> members) {
		Optional<MemberDescription> stranger = members.stream()
			.filter((member) -> !member.clientId().startsWith(CLIENT_ID)
					&& !member.assignment().topicPartitions().isEmpty())
			.findFirst();
		if (stranger.isEmpty()) {
			this.strange.remove(group);
			about(group).clear();
		}
		else if (!this.strange.add(group)) {
			about(group)
				.raise(("A program that is no kafka-to-mongo is in the group %s, and nobody stores the documents of its"
						+ " partitions: end it, and they are read again (its client id is '%s', at %s)")
					.formatted(group, stranger.get().clientId(), stranger.get().host()));
		}
	}

	private Warnings.Warning about(String group) {
		return this.warnings.about("members-" + group);
	}

	private void note(String group, boolean isAllowed) {
		if (isAllowed) {
			this.refusals.admitted(group, true);
		}
		else {
			this.refusals.refused(group, WatchedConsumer.mayNotJoin(group));
		}
	}

}
