package jobs.chassis.kafka;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import jobs.chassis.operations.Backend;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Checks every two seconds that Kafka answers and has the required topics. It creates
 * those that are missing when it first looks. A topic that vanishes later was deleted by
 * somebody: it stays away, and Kafka is DOWN, until an operator or an instance that
 * starts creates it.
 */
public class KafkaTopics extends Backend implements TopicIds {

	private static final Logger logger = LoggerFactory.getLogger(KafkaTopics.class);

	/** The longest wait for each answer of Kafka. */
	private static final long TIMEOUT_SECONDS = 3;

	private final LazyAdmin admin;

	private final List<NewTopic> topics;

	/** The ids of the topics that were seen. */
	private final Map<String, Uuid> ids = new ConcurrentHashMap<>();

	/** The topics that were seen before and missing at the last look. */
	private final Set<String> missing = new HashSet<>();

	KafkaTopics(LazyAdmin admin, List<NewTopic> topics) {
		super("Kafka");
		this.admin = admin;
		this.topics = topics;
	}

	@Override
	public String part() {
		return "kafka";
	}

	@Override
	public @Nullable Uuid id(String topic) {
		return this.ids.get(topic);
	}

	/**
	 * Creates a required topic, also where somebody has deleted it. Throws
	 * InvalidEndpointRequestException for a topic that is not required.
	 */
	void create(String topic) throws InterruptedException {
		List<String> names = this.topics.stream().map(NewTopic::name).toList();
		if (!names.contains(topic)) {
			throw new InvalidEndpointRequestException("This service has no topic of that name",
					"The topics of this service are " + String.join(", ", names));
		}
		check(topic);
	}

	@Scheduled(fixedDelay = 2, timeUnit = TimeUnit.SECONDS)
	void check() throws InterruptedException {
		check(null);
	}

	private synchronized void check(@Nullable String deleted) throws InterruptedException {
		String failure = null;
		try {
			Map<String, KafkaFuture<TopicDescription>> described = this.admin.get()
				.describeTopics(this.topics.stream().map(NewTopic::name).toList())
				.topicNameValues();
			for (NewTopic topic : this.topics) {
				// one topic's failure keeps no other from being created
				String one = describe(topic, Objects.requireNonNull(described.get(topic.name())),
						topic.name().equals(deleted));
				failure = (one != null) ? one : failure;
			}
		}
		catch (KafkaException ex) {
			failure = words(ex);
		}
		if (failure != null) {
			down(failure);
		}
		else {
			up();
		}
	}

	/** Looks at a topic, creates it if need be, and says what is wrong. */
	private @Nullable String describe(NewTopic topic, KafkaFuture<TopicDescription> described, boolean createAnew)
			throws InterruptedException {
		try {
			seen(topic.name(), await(described).topicId());
			return null;
		}
		catch (ExecutionException ex) {
			if (!(ex.getCause() instanceof UnknownTopicOrPartitionException)) {
				return words(ex);
			}
			return (this.ids.containsKey(topic.name()) && !createAnew) ? deleted(topic.name()) : create(topic);
		}
		catch (TimeoutException ex) {
			return words(ex);
		}
	}

	private void seen(String topic, Uuid id) {
		this.missing.remove(topic);
		Uuid before = this.ids.put(topic, id);
		if (before != null && !before.equals(id)) {
			logger.atWarn()
				.addKeyValue("topic", topic)
				.addKeyValue("id", id)
				.log("Somebody has deleted a topic and created it anew");
		}
	}

	/**
	 * A broker that has just started may miss a topic for a moment, not for two looks.
	 */
	private @Nullable String deleted(String topic) {
		return this.missing.add(topic) ? null
				: "The topic '%s' was deleted; a restart of this service or POST /actuator/topics creates it anew"
					.formatted(topic);
	}

	private @Nullable String create(NewTopic topic) throws InterruptedException {
		try {
			seen(topic.name(), await(this.admin.get().createTopics(List.of(topic)).topicId(topic.name())));
			logger.atInfo().addKeyValue("topic", topic.name()).log("Created a topic that was missing");
			return null;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof TopicExistsException) {
				return null;
			}
			Throwable cause = ex.getCause();
			NewTopic modest = TopicSettings.withoutWishes(topic);
			if (modest.configs().equals(topic.configs()) || !isAboutTheSettings(cause)) {
				return words(ex);
			}
			logger.atWarn()
				.addKeyValue("topic", topic.name())
				.addKeyValue("cause", cause)
				.log("Kafka forbids to create a topic for large records, so it gets the broker's bound of a record");
			return create(modest);
		}
		catch (TimeoutException ex) {
			return words(ex);
		}
	}

	/** A missing right is a wrong configuration in Kafka's eyes, too. */
	private static boolean isAboutTheSettings(@Nullable Throwable refusal) {
		return refusal instanceof PolicyViolationException
				|| (refusal instanceof InvalidConfigurationException && !(refusal instanceof AuthorizationException));
	}

	private static <T> T await(KafkaFuture<T> future)
			throws InterruptedException, ExecutionException, TimeoutException {
		return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
	}

	private static String words(Exception failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		return (cause instanceof TimeoutException || cause instanceof RetriableException) ? "Kafka does not answer"
				: "Kafka answers: " + cause.getMessage();
	}

}
