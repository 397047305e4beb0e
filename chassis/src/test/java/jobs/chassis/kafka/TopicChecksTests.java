package jobs.chassis.kafka;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.operations.Warnings;
import jobs.testkit.Backends;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Settings of a topic that stop the service or lose records are told in words.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TopicChecksTests {

	/** What a topic of three replicas has that this service has made. */
	private static final Map<String, String> SAFE = Map.of("cleanup.policy", "delete", "retention.ms", "604800000",
			"retention.bytes", "-1", "max.message.bytes", "1048588", "segment.bytes", "1073741824",
			"message.timestamp.type", "CreateTime", "message.timestamp.before.max.ms", "9223372036854775807",
			"message.timestamp.after.max.ms", "3600000", "min.insync.replicas", "2", "unclean.leader.election.enable",
			"false");

	private final String topic = "checks-" + UUID.randomUUID();

	private final TopicSettings settings = new TopicSettings(this.topic, 1, null, 262_144, Map.of());

	@ParameterizedTest
	@CsvSource({ "cleanup.policy, compact, 3", "cleanup.policy, 'compact,delete', 3", "retention.ms, 5000, 3",
			"retention.bytes, 1048576, 3", "max.message.bytes, 262143, 3", "segment.bytes, 131072, 3",
			"message.timestamp.before.max.ms, 1000, 3", "message.timestamp.after.max.ms, 0, 3",
			"min.insync.replicas, 4, 3", "min.insync.replicas, 2, 1", "min.insync.replicas, 1, 3",
			"unclean.leader.election.enable, true, 3" })
	void namesTheSettingThatIsWrong(String name, String value, int replicas) {
		assertThat(faults(Map.of(name, value), replicas)).filteredOn((fault) -> fault.contains(name + "=" + value))
			.singleElement()
			.asString()
			.startsWith("The topic '%s' has %s=%s: ".formatted(this.topic, name, value))
			.endsWith(".");
	}

	@ParameterizedTest
	@CsvSource({ "retention.ms, -1, 3", "retention.ms, 3600000, 3", "min.insync.replicas, 3, 3",
			"max.message.bytes, 262144, 3", "message.timestamp.type, LogAppendTime, 3" })
	void saysNothingOfWhatIsSafe(String name, String value, int replicas) {
		assertThat(faults(Map.of(name, value), replicas)).isEmpty();
	}

	@Test
	void saysNothingOfOneReplicaWithoutAnother() {
		assertThat(faults(Map.of("min.insync.replicas", "1", "unclean.leader.election.enable", "true"), 1)).isEmpty();
	}

	/** A broker of another version may have fewer settings. */
	@Test
	void saysNothingOfASettingThatKafkaDoesNotTell() {
		assertThat(TopicChecks.faults(this.settings, new Config(List.of()), description(1))).isEmpty();
	}

	@Test
	void warnsOfATopicAndTellsItsRetention() throws Exception {
		Warnings warnings = new Warnings(new SimpleMeterRegistry());
		LazyAdmin client = new LazyAdmin(Map.of("bootstrap.servers", Backends.get().kafka()));
		try (Admin admin = Admin.create(Map.of("bootstrap.servers", Backends.get().kafka()))) {
			KafkaTopics kafka = new KafkaTopics(client, List.of(List.of(this.settings.newTopic())), warnings);
			TopicChecks checks = new TopicChecks(client, kafka, List.of(this.settings), warnings);
			checks.check();
			assertThat(checks.setting(this.topic, "retention.ms")).isNull();
			admin
				.createTopics(List.of(new NewTopic(this.topic, 1, (short) 1)
					.configs(Map.of("cleanup.policy", "compact", "retention.ms", "7654321"))))
				.all()
				.get(20, TimeUnit.SECONDS);

			Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
				kafka.check();
				checks.check();
				assertThat(warnings.raised()).singleElement()
					.satisfies((one) -> assertThat(one.reason())
						.startsWith("The topic '%s' has cleanup.policy=compact".formatted(this.topic)));
			});
			assertThat(checks.setting(this.topic, "retention.ms")).isEqualTo("7654321");
		}
		finally {
			client.destroy();
		}
	}

	private List<String> faults(Map<String, String> changed, int replicas) {
		Stream<ConfigEntry> entries = SAFE.entrySet()
			.stream()
			.map((one) -> new ConfigEntry(one.getKey(), changed.getOrDefault(one.getKey(), one.getValue())));
		return TopicChecks.faults(this.settings, new Config(entries.toList()), description(replicas));
	}

	private TopicDescription description(int replicas) {
		List<Node> nodes = IntStream.range(0, replicas).mapToObj((id) -> new Node(id, "localhost", 9092)).toList();
		return new TopicDescription(this.topic, false,
				List.of(new TopicPartitionInfo(0, nodes.getFirst(), nodes, nodes)));
	}

}
