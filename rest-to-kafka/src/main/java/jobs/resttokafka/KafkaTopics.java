package jobs.resttokafka;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Creates the topics that are missing, at start and whenever one has gone, and reports
 * whether Kafka answers.
 */
class KafkaTopics implements HealthIndicator {

	private static final Logger logger = LoggerFactory.getLogger(KafkaTopics.class);

	private static final long TIMEOUT_SECONDS = 3;

	private final Admin admin;

	private final List<NewTopic> topics;

	private volatile Health health = Health.unknown().build();

	KafkaTopics(Admin admin, List<NewTopic> topics) {
		this.admin = admin;
		this.topics = topics;
	}

	@Override
	public Health health() {
		return this.health;
	}

	@Scheduled(fixedDelay = 2, timeUnit = TimeUnit.SECONDS)
	void check() throws InterruptedException {
		Health now;
		try {
			for (NewTopic topic : this.topics) {
				require(topic);
			}
			now = Health.up().build();
		}
		catch (ExecutionException | TimeoutException ex) {
			String error = String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage());
			now = Health.down().withDetail("error", error).build();
		}
		if (!now.getStatus().equals(this.health.getStatus())) {
			logger.atLevel(now.getStatus().equals(Status.UP) ? Level.INFO : Level.WARN)
				.log("Kafka is {} {}", now.getStatus(), now.getDetails().getOrDefault("error", ""));
		}
		this.health = now;
	}

	private void require(NewTopic topic) throws InterruptedException, ExecutionException, TimeoutException {
		try {
			await(this.admin.describeTopics(List.of(topic.name())).allTopicNames());
		}
		catch (ExecutionException ex) {
			if (!(ex.getCause() instanceof UnknownTopicOrPartitionException)) {
				throw ex;
			}
			create(topic);
		}
	}

	private void create(NewTopic topic) throws InterruptedException, ExecutionException, TimeoutException {
		try {
			await(this.admin.createTopics(List.of(topic)).all());
			logger.atInfo().addKeyValue("topic", topic.name()).log("Created a topic that was missing");
		}
		catch (ExecutionException ex) {
			if (!(ex.getCause() instanceof TopicExistsException)) {
				throw ex;
			}
		}
	}

	private static void await(KafkaFuture<?> future) throws InterruptedException, ExecutionException, TimeoutException {
		future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
	}

}
