package jobs.kafkatomongo.consumption;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import jobs.chassis.kafka.LazyAdmin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * Asks Kafka every five seconds whether the listeners may be in their groups. A consumer
 * that loses this right is not told: it goes on reading, and commits nothing.
 */
class GroupRights {

	private static final Logger logger = LoggerFactory.getLogger(GroupRights.class);

	private static final long TIMEOUT_SECONDS = 3;

	private static final DescribeConsumerGroupsOptions WITH_RIGHTS = new DescribeConsumerGroupsOptions()
		.includeAuthorizedOperations(true);

	private final LazyAdmin admin;

	private final List<String> groups;

	private final Refusals refusals;

	GroupRights(LazyAdmin admin, List<String> groups, Refusals refusals) {
		this.admin = admin;
		this.groups = groups;
		this.refusals = refusals;
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
			Set<AclOperation> rights = described.get(TIMEOUT_SECONDS, TimeUnit.SECONDS).authorizedOperations();
			note(group, rights == null || rights.contains(AclOperation.READ));
		}
		catch (ExecutionException ex) {
			// nothing is known of a group that does not exist: Kafka drops that of a
			// refused consumer after a while
			if (ex.getCause() instanceof GroupAuthorizationException) {
				note(group, false);
			}
		}
		catch (TimeoutException ex) {
			// KafkaTopics tells that Kafka does not answer
		}
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
