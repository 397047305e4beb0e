package jobs.chassis.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import org.apache.kafka.clients.admin.NewTopic;
import org.jspecify.annotations.Nullable;

/**
 * A topic that a service requires, and the settings with which it is created. A topic
 * that exists keeps its own settings.
 *
 * @param replication the replicas of each partition, or {@code null} for the broker's
 * default
 * @param recordBytes the most bytes of a record that the service has to write, or 0
 * @param further more settings, by Kafka's names
 */
public record TopicSettings(String name, int partitions, @Nullable Short replication, int recordBytes,
		Map<String, String> further) {

	/** From this many replicas on, an acknowledgement must mean two of them. */
	static final short SAFE_REPLICATION = 3;

	/** A wish: where it is forbidden, large records leave out their values. */
	private static final String RECORD_SIZE = "max.message.bytes";

	/** Bytes of a record that Kafka takes by default, but for a few. */
	private static final long MEBIBYTE = 1024 * 1024;

	/**
	 * Keeps each record for a time, however many there are. Where records may have more
	 * than Kafka's default of 1 MiB, it takes those up to the next full one, which leaves
	 * room for keys and headers.
	 */
	public static Map<String, String> records(Duration time, int bytes) {
		Map<String, String> settings = new HashMap<>(Map.of("cleanup.policy", "delete", "retention.ms",
				Long.toString(time.toMillis()), "retention.bytes", "-1"));
		if (bytes > MEBIBYTE) {
			settings.put(RECORD_SIZE, Long.toString((bytes / MEBIBYTE + 1) * MEBIBYTE));
		}
		return settings;
	}

	/**
	 * The topic to create. From three replicas on it gets {@code min.insync.replicas=2},
	 * because the broker's default is one.
	 */
	NewTopic newTopic() {
		Map<String, String> all = new HashMap<>(this.further);
		if (this.replication != null && this.replication >= SAFE_REPLICATION) {
			all.put("min.insync.replicas", "2");
		}
		return new NewTopic(this.name, Optional.of(this.partitions), Optional.ofNullable(this.replication))
			.configs(all);
	}

	/** The same topic without the settings that a broker's policy may forbid. */
	static NewTopic withoutWishes(NewTopic topic) {
		Map<String, String> needed = new HashMap<>(topic.configs());
		needed.remove(RECORD_SIZE);
		return new NewTopic(topic.name(), topic.numPartitions(), topic.replicationFactor()).configs(needed);
	}

}
