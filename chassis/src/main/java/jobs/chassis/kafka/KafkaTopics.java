package jobs.chassis.kafka;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import jobs.chassis.operations.Backend;
import jobs.chassis.operations.Warnings;
import org.apache.kafka.clients.admin.CreateTopicsResult;
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

	private final List<List<NewTopic>> groups;

	private final List<NewTopic> topics;

	private final Warnings warnings;

	/** The ids of the topics that were seen. */
	private final Map<String, Uuid> ids = new ConcurrentHashMap<>();

	/** How many partitions the topics have that were seen. */
	private final Map<String, Integer> partitions = new HashMap<>();

	private final Map<String, TopicDescription> descriptions = new ConcurrentHashMap<>();

	/** The topics that were seen before and missing at the last look. */
	private final Set<String> missing = new HashSet<>();

	private final TopicLeaders leaders;

	private boolean hasBeenUp;

	private volatile boolean takesRecords;

	/**
	 * Requires groups of topics. With several, the topics of one are enough for Kafka to
	 * be UP, and what is wrong with the others is a warning.
	 */
	KafkaTopics(LazyAdmin admin, List<List<NewTopic>> groups, Warnings warnings) {
		this(admin, groups, warnings, new TopicLeaders(warnings.about("topic-leaders")));
	}

	/** With leaders that a test can take away. */
	KafkaTopics(LazyAdmin admin, List<List<NewTopic>> groups, Warnings warnings, TopicLeaders leaders) {
		super("Kafka");
		this.admin = admin;
		this.groups = groups;
		this.topics = groups.stream().flatMap(List::stream).toList();
		this.warnings = warnings;
		this.leaders = leaders;
	}

	@Override
	public String part() {
		return "kafka";
	}

	@Override
	public @Nullable Uuid id(String topic) {
		return this.ids.get(topic);
	}

	/** What Kafka said last of a required topic, or {@code null} before it has. */
	@Nullable TopicDescription description(String topic) {
		return this.descriptions.get(topic);
	}

	/** Whether Kafka is up and each partition of the topics of a group had a leader. */
	boolean takesRecords() {
		return this.takesRecords;
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
		Map<String, String> failures = new HashMap<>();
		Set<String> young = new TreeSet<>();
		try {
			Map<String, KafkaFuture<TopicDescription>> described = this.admin.get()
				.describeTopics(this.topics.stream().map(NewTopic::name).toList())
				.topicNameValues();
			for (NewTopic topic : this.topics) {
				// one topic's failure keeps no other from being created
				String one = describe(topic, Objects.requireNonNull(described.get(topic.name())),
						topic.name().equals(deleted));
				if (one != null) {
					failures.put(topic.name(), one);
				}
				else if (isNew(topic.name())) {
					young.add(topic.name());
				}
			}
			note(failures, young);
		}
		catch (KafkaException ex) {
			down(words(ex));
			this.leaders.unknown();
			this.takesRecords = false;
		}
	}

	/**
	 * Notes how Kafka is, of which one group is enough. The first start waits for all
	 * that are new, or the first records would be refused.
	 */
	private void note(Map<String, String> failures, Set<String> young) {
		if (this.groups.size() > 1) {
			this.topics
				.forEach((topic) -> this.warnings.about("unusable-" + topic.name()).note(failures.get(topic.name())));
		}
		List<List<NewTopic>> usable = groupsWithout(failures.keySet(), this.groups);
		List<List<NewTopic>> ready = groupsWithout(young, usable);
		if (usable.isEmpty()) {
			down(failures.values().iterator().next());
		}
		else if (ready.isEmpty() || (!this.hasBeenUp && !young.isEmpty())) {
			notYet("The topic '%s' was just created, and not all of its partitions take records yet"
				.formatted(young.iterator().next()));
		}
		else {
			this.hasBeenUp = true;
			up();
		}
		this.leaders.tell(failures.isEmpty());
		this.takesRecords = ready.stream()
			.anyMatch((group) -> group.stream().allMatch((topic) -> this.leaders.areComplete(topic.name())));
	}

	private static List<List<NewTopic>> groupsWithout(Set<String> topics, List<List<NewTopic>> groups) {
		return groups.stream()
			.filter((group) -> group.stream().noneMatch((topic) -> topics.contains(topic.name())))
			.toList();
	}

	private boolean isNew(String topic) throws InterruptedException {
		return this.leaders.isNew(this.admin.get(), topic, this.partitions.getOrDefault(topic, 0));
	}

	/** Looks at a topic, creates it if need be, and says what is wrong. */
	private @Nullable String describe(NewTopic topic, KafkaFuture<TopicDescription> described, boolean createAnew)
			throws InterruptedException {
		try {
			TopicDescription description = await(described);
			seen(topic.name(), description.topicId(), description.partitions().size());
			this.descriptions.put(topic.name(), description);
			return this.leaders.failure(description);
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

	private void seen(String topic, Uuid id, int partitions) {
		this.missing.remove(topic);
		this.partitions.put(topic, partitions);
		Uuid before = this.ids.put(topic, id);
		if (!id.equals(before)) {
			this.leaders.appeared(topic);
		}
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
		this.leaders.disappeared(topic);
		return this.missing.add(topic) ? null
				: "The topic '%s' was deleted; a restart of this service or POST /actuator/topics creates it anew"
					.formatted(topic);
	}

	private @Nullable String create(NewTopic topic) throws InterruptedException {
		try {
			CreateTopicsResult created = this.admin.get().createTopics(List.of(topic));
			seen(topic.name(), await(created.topicId(topic.name())), await(created.numPartitions(topic.name())));
			logger.atInfo().addKeyValue("topic", topic.name()).log("Created a topic that was missing");
			return null;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof TopicExistsException) {
				// the next look sees it
				this.leaders.appeared(topic.name());
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
