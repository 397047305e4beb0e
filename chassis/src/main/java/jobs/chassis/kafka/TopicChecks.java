package jobs.chassis.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import jobs.chassis.operations.Warnings;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * Looks every twenty seconds whether the settings of the required topics can stop the
 * service or lose records, and warns in words. It needs the right to describe the
 * settings of the topics; of a topic without it nothing is known.
 */
public class TopicChecks {

	private static final Logger logger = LoggerFactory.getLogger(TopicChecks.class);

	private static final long TIMEOUT_SECONDS = 3;

	/** The time between two looks at a topic. */
	private static final Duration AGAIN = Duration.ofSeconds(20);

	/** A shorter retention may delete what waits for a restart or a repair. */
	private static final Duration SHORT_RETENTION = Duration.ofHours(1);

	/** Less room for a partition may be full before its records are read. */
	private static final long SMALL_PARTITION_BYTES = 100L * 1024 * 1024;

	/** The clocks of machines may differ by so much. */
	private static final Duration CLOCKS = Duration.ofMinutes(1);

	private final LazyAdmin admin;

	private final KafkaTopics kafka;

	private final List<TopicSettings> topics;

	private final Warnings warnings;

	/** The last answers of Kafka. */
	private final Map<String, Config> seen = new ConcurrentHashMap<>();

	/** When topics were looked at last with an outcome that holds for a while. */
	private final Map<String, Long> looked = new HashMap<>();

	TopicChecks(LazyAdmin admin, KafkaTopics kafka, List<TopicSettings> topics, Warnings warnings) {
		this.admin = admin;
		this.kafka = kafka;
		this.topics = topics;
		this.warnings = warnings;
	}

	/**
	 * The value of a topic's setting at the last look, or {@code null} while nothing is
	 * known.
	 */
	public @Nullable String setting(String topic, String name) {
		Config settings = this.seen.get(topic);
		return (settings != null) ? value(settings, name) : null;
	}

	/** Looks at topics that were not looked at for a while, or not with success. */
	@Scheduled(fixedDelay = 5, timeUnit = TimeUnit.SECONDS)
	void check() throws InterruptedException {
		List<TopicSettings> due = this.topics.stream().filter((topic) -> isDue(topic.name())).toList();
		if (due.isEmpty()) {
			return;
		}
		try {
			Map<ConfigResource, KafkaFuture<Config>> answers = this.admin.get()
				.describeConfigs(due.stream().map(TopicChecks::resource).toList())
				.values();
			for (TopicSettings topic : due) {
				check(topic, Objects.requireNonNull(answers.get(resource(topic))));
			}
		}
		catch (KafkaException ex) {
			logger.debug("The settings of the topics can't be looked up now: {}", ex.toString());
		}
	}

	private boolean isDue(String topic) {
		Long last = this.looked.get(topic);
		return last == null || System.nanoTime() - last >= AGAIN.toNanos();
	}

	private static ConfigResource resource(TopicSettings topic) {
		return new ConfigResource(ConfigResource.Type.TOPIC, topic.name());
	}

	private void check(TopicSettings topic, KafkaFuture<Config> answer) throws InterruptedException {
		Warnings.Warning warning = this.warnings.about("settings-" + topic.name());
		TopicDescription description = this.kafka.description(topic.name());
		try {
			Config settings = answer.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
			this.seen.put(topic.name(), settings);
			if (description != null) {
				List<String> faults = faults(topic, settings, description);
				warning.note(faults.isEmpty() ? null : String.join(" ", faults));
				this.looked.put(topic.name(), System.nanoTime());
			}
		}
		catch (ExecutionException | TimeoutException ex) {
			warning.unknown();
			if (ex.getCause() instanceof AuthorizationException) {
				this.looked.put(topic.name(), System.nanoTime());
			}
			logger.debug("The settings of {} can't be looked up now: {}", topic.name(), ex.toString());
		}
	}

	/** What is wrong with a topic's settings, a sentence for each. */
	static List<String> faults(TopicSettings topic, Config settings, TopicDescription description) {
		List<String> faults = new ArrayList<>();
		int replicas = description.partitions().stream().mapToInt((one) -> one.replicas().size()).min().orElse(0);
		Fault fault = (name, consequence) -> faults
			.add("The topic '%s' has %s=%s: %s.".formatted(topic.name(), name, value(settings, name), consequence));
		String policy = value(settings, "cleanup.policy");
		if (policy != null && policy.contains("compact")) {
			fault.add("cleanup.policy",
					"Kafka deletes all but the last record of a key, read or not; set it to delete");
		}
		long retention = number(settings, "retention.ms", -1);
		if (retention >= 0 && retention < SHORT_RETENTION.toMillis()) {
			fault.add("retention.ms", "Kafka deletes records so soon that what waits is lost; raise it");
		}
		long room = number(settings, "retention.bytes", -1);
		if (room >= 0 && room < SMALL_PARTITION_BYTES) {
			fault.add("retention.bytes", "Kafka deletes what waits beyond so few bytes of a partition; raise it");
		}
		for (String bound : List.of("max.message.bytes", "segment.bytes")) {
			if (number(settings, bound, Long.MAX_VALUE) < topic.recordBytes()) {
				fault.add(bound,
						"this service may have to write records of %d bytes; raise it".formatted(topic.recordBytes()));
			}
		}
		if ("CreateTime".equals(value(settings, "message.timestamp.type"))) {
			for (String bound : List.of("message.timestamp.before.max.ms", "message.timestamp.after.max.ms")) {
				if (number(settings, bound, Long.MAX_VALUE) < CLOCKS.toMillis()) {
					fault.add(bound, "Kafka refuses records where two clocks differ by more; raise it");
				}
			}
		}
		long inSync = number(settings, "min.insync.replicas", 1);
		if (replicas > 0 && inSync > replicas) {
			fault.add("min.insync.replicas",
					"Kafka takes no record, since a partition has %d; lower it".formatted(replicas));
		}
		if (replicas >= TopicSettings.SAFE_REPLICATION && inSync == 1) {
			fault.add("min.insync.replicas", "an acknowledged record may be on one broker alone; set it to 2");
		}
		if (replicas > 1 && "true".equals(value(settings, "unclean.leader.election.enable"))) {
			fault.add("unclean.leader.election.enable",
					"a broker that lacks records may lead, and they are lost; set it to false");
		}
		return faults;
	}

	private static @Nullable String value(Config settings, String name) {
		ConfigEntry entry = settings.get(name);
		return (entry != null) ? entry.value() : null;
	}

	private static long number(Config settings, String name, long otherwise) {
		String value = value(settings, name);
		return (value != null) ? Long.parseLong(value) : otherwise;
	}

	/** Notes that a setting has a value with a consequence. */
	private interface Fault {

		void add(String name, String consequence);

	}

}
