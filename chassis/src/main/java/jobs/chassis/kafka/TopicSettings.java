package jobs.chassis.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import org.apache.kafka.clients.admin.NewTopic;
import org.jspecify.annotations.Nullable;

/**
 * A topic that a service requires, and the settings that it is created with where it is
 * missing. A topic that is there keeps the settings that it has.
 *
 * @param name its name
 * @param partitions how many partitions
 * @param replication how many replicas of each, or the broker's default
 * @param further further settings of Kafka's
 */
public record TopicSettings(String name, int partitions, @Nullable Short replication, Map<String, String> further) {

	/** Replicas from which on an acknowledgement must mean two of them. */
	private static final short SAFE_REPLICATION = 3;

	/**
	 * What Kafka is asked to create. With three replicas or more that has
	 * {@code min.insync.replicas=2}; the broker's default would be one.
	 */
	NewTopic newTopic() {
		Map<String, String> all = new HashMap<>(this.further);
		if (this.replication != null && this.replication >= SAFE_REPLICATION) {
			all.put("min.insync.replicas", "2");
		}
		return new NewTopic(this.name, Optional.of(this.partitions), Optional.ofNullable(this.replication))
			.configs(all);
	}

}
