package jobs.chassis.kafka;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import jobs.testkit.Backends;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KafkaTopicsTests {

	private final String topic = "topics-" + UUID.randomUUID();

	private final Admin admin = Admin.create(Map.of("bootstrap.servers", Backends.get().kafka()));

	private final KafkaTopics topics = topics(Backends.get().kafka());

	private KafkaTopics topics(String servers) {
		return new KafkaTopics(
				Map.of("bootstrap.servers", servers, "default.api.timeout.ms", 1000, "request.timeout.ms", 500),
				List.of(new TopicSettings(this.topic, 3, null, Map.of("retention.ms", "1234567")).newTopic()));
	}

	@AfterEach
	void close() {
		this.topics.destroy();
		this.admin.close();
	}

	@Test
	void createsATopicThatIsMissing() throws Exception {
		assertThat(this.topics.health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);

		this.topics.check();

		assertThat(this.topics.health().getStatus()).isEqualTo(Status.UP);
		assertThat(partitions()).isEqualTo(3);
	}

	@Test
	void leavesATopicThatIsThereAsItIs() throws Exception {
		this.admin.createTopics(List.of(new NewTopic(this.topic, 1, (short) 1))).all().get(10, TimeUnit.SECONDS);

		this.topics.check();

		assertThat(this.topics.health().getStatus()).isEqualTo(Status.UP);
		assertThat(partitions()).isEqualTo(1);
	}

	@Test
	void isDownWithoutKafka() throws InterruptedException {
		KafkaTopics nowhere = topics("127.0.0.1:1");

		nowhere.check();

		assertThat(nowhere.health().getStatus()).isEqualTo(Status.DOWN);
		nowhere.destroy();
	}

	private int partitions() throws Exception {
		return this.admin.describeTopics(List.of(this.topic))
			.allTopicNames()
			.get(10, TimeUnit.SECONDS)
			.get(this.topic)
			.partitions()
			.size();
	}

}
