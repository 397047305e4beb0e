package jobs.chassis.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Checks every two seconds that the required topics exist, creates missing ones, and
 * reports whether Kafka answers.
 */
public class KafkaTopics implements HealthIndicator, DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(KafkaTopics.class);

	/** The longest wait for each answer of Kafka. */
	private static final long TIMEOUT_SECONDS = 3;

	private final Map<String, Object> configuration;

	private final List<NewTopic> topics;

	private @Nullable Admin admin;

	private volatile Health health = Health.outOfService().withDetail("kafka", "not asked yet").build();

	KafkaTopics(Map<String, Object> configuration, List<NewTopic> topics) {
		this.configuration = configuration;
		this.topics = topics;
	}

	@Override
	public Health health() {
		return this.health;
	}

	@Scheduled(fixedDelay = 2, timeUnit = TimeUnit.SECONDS)
	void check() throws InterruptedException {
		Status before = this.health.getStatus();
		Exception failure = lookForTopics();
		this.health = ((failure != null) ? Health.down() : Health.up()).build();
		if (failure != null && !before.equals(Status.DOWN)) {
			logger.warn("Kafka is DOWN: {}", NestedExceptionUtils.getMostSpecificCause(failure).toString());
		}
		else if (failure == null && !before.equals(Status.UP)) {
			logger.info("Kafka is UP");
		}
	}

	/** Asks for all topics at once, creates the missing ones, and returns a failure. */
	private @Nullable Exception lookForTopics() throws InterruptedException {
		Exception failure = null;
		try {
			Map<String, KafkaFuture<TopicDescription>> described = admin()
				.describeTopics(this.topics.stream().map(NewTopic::name).toList())
				.topicNameValues();
			for (NewTopic topic : this.topics) {
				try {
					require(topic, Objects.requireNonNull(described.get(topic.name())));
				}
				catch (ExecutionException | TimeoutException ex) {
					// one topic's failure keeps no other from being created
					failure = ex;
				}
			}
		}
		catch (KafkaException ex) {
			failure = ex;
		}
		return failure;
	}

	/**
	 * Makes the client on first use: a host name that can't be resolved yet is an outage
	 * and must not end the service.
	 */
	private Admin admin() {
		if (this.admin == null) {
			this.admin = Admin.create(this.configuration);
		}
		return this.admin;
	}

	@Override
	public void destroy() {
		if (this.admin != null) {
			this.admin.close(Duration.ofSeconds(1));
		}
	}

	private void require(NewTopic topic, KafkaFuture<TopicDescription> described)
			throws InterruptedException, ExecutionException, TimeoutException {
		try {
			await(described);
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
			await(admin().createTopics(List.of(topic)).all());
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
