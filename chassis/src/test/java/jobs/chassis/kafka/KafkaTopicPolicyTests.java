package jobs.chassis.kafka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.operations.Warnings;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.server.policy.CreateTopicPolicy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A broker whose owner allows no records as large as those that we would like.
 */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KafkaTopicPolicyTests {

	@TempDir
	private static Path folder;

	private static Child broker;

	private static Admin admin;

	private static String servers;

	private final LazyAdmin client = new LazyAdmin(Map.of("bootstrap.servers", servers));

	private final KafkaTopics topics = new KafkaTopics(this.client,
			List.of(List.of(new TopicSettings("dead-letters", 3, null, 0,
					Map.of("retention.ms", "-1", "max.message.bytes", "16777216"))
				.newTopic())),
			new Warnings(new SimpleMeterRegistry()));

	@BeforeAll
	static void start() {
		int port = Ports.free();
		servers = "127.0.0.1:" + port;
		broker = Programs
			.kafka(folder.resolve("kafka"), port, folder.resolve("kafka.log"),
					"create.topic.policy.class.name=" + SmallRecords.class.getName())
			.start();
		broker.awaitReady(() -> Ports.isListening(port), Duration.ofSeconds(60));
		admin = Admin.create(Map.of("bootstrap.servers", servers));
	}

	@AfterAll
	static void stop() {
		admin.close();
		broker.kill();
	}

	@AfterEach
	void close() {
		this.client.destroy();
	}

	@Test
	void doesWithoutAWishThatTheBrokerRefuses(CapturedOutput output) throws Exception {
		// as the service does: a broker that has just started may take longer than one
		// wait
		Awaitility.await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> {
			this.topics.check();
			assertThat(this.topics.health().getStatus()).isEqualTo(Status.UP);
		});

		assertThat(setting("max.message.bytes")).isEqualTo("1048588");
		assertThat(setting("retention.ms")).isEqualTo("-1");
		assertThat(output).contains("Kafka forbids to create a topic for large records");
	}

	/** There is nothing that it could do without. */
	@Test
	void asksOnceForATopicWithoutWishes(CapturedOutput output) {
		KafkaTopics jobs = new KafkaTopics(this.client,
				List.of(List
					.of(new TopicSettings("many-partitions", 51, null, 0, Map.of("retention.ms", "-1")).newTopic())),
				new Warnings(new SimpleMeterRegistry()));

		Awaitility.await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> {
			jobs.check();
			assertThat(jobs.health().getDetails().toString()).contains("at most 50 partitions");
		});

		assertThat(output).doesNotContain("for large records");
	}

	private static String setting(String name) throws InterruptedException, ExecutionException {
		ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "dead-letters");
		Config settings = admin.describeConfigs(List.of(topic)).all().get().get(topic);
		return settings.get(name).value();
	}

	/**
	 * Allows no records above 1 MiB, and 50 partitions.
	 */
	public static final class SmallRecords implements CreateTopicPolicy {

		@Override
		public void configure(Map<String, ?> configs) {
		}

		@Override
		public void validate(RequestMetadata topic) {
			if (Integer.parseInt(topic.configs().getOrDefault("max.message.bytes", "0")) > (1 << 20)) {
				throw new PolicyViolationException("records of at most 1 MiB");
			}
			if (topic.numPartitions() > 50) {
				throw new PolicyViolationException("at most 50 partitions");
			}
		}

		@Override
		public void close() {
		}

	}

}
