package jobs.chassis.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import jobs.chassis.operations.Warnings;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the leaders of a topic's partitions take records. Kafka says that it has
 * created a topic some time before its brokers lead the partitions.
 */
class TopicLeaders {

	/**
	 * So long a topic that is new counts as new while not all of its leaders answer. It
	 * may not be new at all: a service that starts meets it for the first time.
	 */
	private static final Duration NEW = Duration.ofSeconds(30);

	/** The longest wait for the leaders to answer. */
	private static final long TIMEOUT_SECONDS = 3;

	private final Warnings.Warning warning;

	/** The topics whose leaders have not answered yet, and since when they are known. */
	private final Map<String, Long> unanswered = new HashMap<>();

	/** The topics of which the last look saw no leader. */
	private final Set<String> leaderless = new HashSet<>();

	/** What the current look has seen of topics that lack some leaders. */
	private final Map<String, String> incomplete = new TreeMap<>();

	/** The topics that lacked some at the last look. */
	private Set<String> before = Set.of();

	TopicLeaders(Warnings.Warning warning) {
		this.warning = warning;
	}

	/** Notes that there is no such topic any more. */
	void disappeared(String topic) {
		this.unanswered.remove(topic);
		this.leaderless.remove(topic);
		this.incomplete.remove(topic);
	}

	/** Notes that there is a topic which was not there before. */
	void appeared(String topic) {
		this.unanswered.put(topic, System.nanoTime());
	}

	/**
	 * Looks at a topic and says why none of its partitions takes records, or {@code null}
	 * where some do. An election takes a moment, so one look without a leader is none.
	 */
	@Nullable String failure(TopicDescription topic) {
		long led = topic.partitions().stream().filter(TopicLeaders::isLed).count();
		int all = topic.partitions().size();
		this.incomplete.remove(topic.name());
		if (led == 0) {
			return (this.leaderless.add(topic.name()) || this.unanswered.containsKey(topic.name())) ? null
					: "No partition of the topic '%s' has a leader; bring its brokers back".formatted(topic.name());
		}
		this.leaderless.remove(topic.name());
		if (led < all) {
			this.incomplete.put(topic.name(),
					"%d of %d partitions of the topic '%s' have no leader and take no records; bring their brokers back."
						.formatted(all - led, all, topic.name()));
		}
		return null;
	}

	/**
	 * Warns of what two looks have seen. Where they have not seen all topics, that they
	 * found nothing says nothing.
	 */
	void tell(boolean isAllSeen) {
		List<String> lasting = this.incomplete.entrySet()
			.stream()
			.filter((one) -> this.before.contains(one.getKey()))
			.map(Map.Entry::getValue)
			.toList();
		this.before = Set.copyOf(this.incomplete.keySet());
		if (!lasting.isEmpty()) {
			this.warning.raise(String.join(" ", lasting));
		}
		else if (isAllSeen) {
			this.warning.clear();
		}
		else {
			this.warning.unknown();
		}
	}

	/** Notes that Kafka did not tell. */
	void unknown() {
		this.warning.unknown();
	}

	private static boolean isLed(TopicPartitionInfo partition) {
		return partition.leader() != null && !partition.leader().isEmpty();
	}

	/** Whether all partitions of a topic had leaders when it was looked at last. */
	boolean areComplete(String topic) {
		return !this.incomplete.containsKey(topic) && !this.leaderless.contains(topic);
	}

	/**
	 * Whether a topic is so new that the leaders of its first partitions have not all
	 * answered yet. It asks them, for three seconds at most.
	 */
	boolean isNew(Admin admin, String topic, int partitions) throws InterruptedException {
		Long since = this.unanswered.get(topic);
		if (since == null) {
			return false;
		}
		if (System.nanoTime() - since >= NEW.toNanos() || (partitions > 0 && answer(admin, topic, partitions))) {
			this.unanswered.remove(topic);
			return false;
		}
		return true;
	}

	private static boolean answer(Admin admin, String topic, int partitions) throws InterruptedException {
		Map<TopicPartition, OffsetSpec> all = IntStream.range(0, partitions)
			.mapToObj((partition) -> new TopicPartition(topic, partition))
			.collect(Collectors.toMap(Function.identity(), (_) -> OffsetSpec.latest()));
		try {
			admin.listOffsets(all).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
			return true;
		}
		catch (ExecutionException | TimeoutException ex) {
			return false;
		}
	}

}
