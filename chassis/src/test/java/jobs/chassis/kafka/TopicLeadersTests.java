package jobs.chassis.kafka;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.operations.Warnings;
import jobs.testkit.Backends;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Kafka names topics that take no records, or take them in part.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TopicLeadersTests {

	private static final Node BROKER = new Node(1, "localhost", 9092);

	private final Warnings warnings = new Warnings(new SimpleMeterRegistry());

	private final TopicLeaders leaders = new TopicLeaders(this.warnings.about("topic-leaders"));

	/** A topic of three partitions, of which the first {@code led} have a leader. */
	private static TopicDescription topic(int led) {
		return topic("jobs", led);
	}

	private static TopicDescription topic(String name, int led) {
		return new TopicDescription(name, false,
				IntStream.range(0, 3)
					.mapToObj((partition) -> new TopicPartitionInfo(partition, (partition < led) ? BROKER : null,
							List.of(BROKER), List.of(BROKER)))
					.toList());
	}

	@Test
	void failsOnceTwoLooksHaveSeenNoLeader() {
		assertThat(this.leaders.failure(topic(3))).isNull();
		assertThat(this.leaders.failure(topic(0))).isNull();
		assertThat(this.leaders.areComplete("jobs")).isFalse();

		assertThat(this.leaders.failure(topic(0))).contains("No partition of the topic 'jobs' has a leader");

		assertThat(this.leaders.failure(topic(3))).isNull();
		assertThat(this.leaders.areComplete("jobs")).isTrue();
	}

	@Test
	void warnsOnceOfAllTopicsOfWhichSomePartitionsHaveNoLeader() {
		look(1, 2);
		assertThat(this.warnings.raised()).isEmpty();

		look(1, 2);
		look(1, 2);

		assertThat(this.warnings.raised()).singleElement()
			.satisfies((one) -> assertThat(one.reason()).isEqualTo(
					"2 of 3 partitions of the topic 'jobs' have no leader and take no records; bring their brokers back."
							+ " 1 of 3 partitions of the topic 'others' have no leader and take no records; bring their brokers back."));
		assertThat(this.leaders.areComplete("jobs")).isFalse();
		assertThat(this.leaders.areComplete("third")).isTrue();

		look(3, 3);
		assertThat(this.warnings.raised()).isEmpty();
		assertThat(this.leaders.areComplete("jobs")).isTrue();
	}

	private void look(int led, int ledOfOthers) {
		assertThat(this.leaders.failure(topic(led))).isNull();
		assertThat(this.leaders.failure(topic("others", ledOfOthers))).isNull();
		this.leaders.tell(true);
	}

	@Test
	void takesATopicForNewUntilItsLeadersHaveAnswered() throws Exception {
		String name = "leaders-" + UUID.randomUUID();
		try (Admin nowhere = Admin.create(
				Map.of("bootstrap.servers", "127.0.0.1:1", "default.api.timeout.ms", 500, "request.timeout.ms", 500));
				Admin admin = Admin.create(Map.of("bootstrap.servers", Backends.get().kafka()))) {
			admin.createTopics(List.of(new NewTopic(name, 2, (short) 1))).all().get(20, TimeUnit.SECONDS);
			this.leaders.appeared(name);

			assertThat(this.leaders.isNew(nowhere, name, 2)).isTrue();

			Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> !this.leaders.isNew(admin, name, 2));
			assertThat(this.leaders.isNew(nowhere, name, 2)).as("who has answered once").isFalse();
		}
	}

}
