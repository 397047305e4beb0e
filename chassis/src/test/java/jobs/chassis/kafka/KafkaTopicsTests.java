package jobs.chassis.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.operations.Warnings;
import jobs.testkit.Backends;
import jobs.testkit.Topics;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KafkaTopicsTests {

	private final String topic = "topics-" + UUID.randomUUID();

	private final Admin admin = Admin.create(Map.of("bootstrap.servers", Backends.get().kafka()));

	private final List<LazyAdmin> clients = new ArrayList<>();

	private final Warnings warnings = new Warnings(new SimpleMeterRegistry());

	private final KafkaTopics topics = topics(Backends.get().kafka());

	private KafkaTopics topics(String servers, NewTopic... others) {
		LazyAdmin client = new LazyAdmin(
				Map.of("bootstrap.servers", servers, "default.api.timeout.ms", 1000, "request.timeout.ms", 500));
		this.clients.add(client);
		NewTopic wanted = new TopicSettings(this.topic, 3, null, 0, Map.of("retention.ms", "1234567")).newTopic();
		return new KafkaTopics(client, List.of(Stream.concat(Stream.of(wanted), Stream.of(others)).toList()),
				this.warnings);
	}

	@AfterEach
	void close() {
		this.clients.forEach(LazyAdmin::destroy);
		this.admin.close();
	}

	@Test
	void createsATopicThatIsMissing() throws Exception {
		assertThat(this.topics.health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);

		awaitUp(this.topics);

		Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(partitions()).isEqualTo(3));
	}

	@Test
	void leavesATopicThatIsThereAsItIs() throws Exception {
		this.admin.createTopics(List.of(new NewTopic(this.topic, 1, (short) 1))).all().get(10, TimeUnit.SECONDS);

		awaitUp(this.topics);

		Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(partitions()).isEqualTo(1));
	}

	/** Else one of its purposes would take the others away. */
	@Test
	void isUpWhileTheTopicsOfOneOfTwoPurposesAreThere() throws Exception {
		NewTopic other = new NewTopic(this.topic + "-other", 1, (short) 1);
		LazyAdmin client = new LazyAdmin(Map.of("bootstrap.servers", Backends.get().kafka()));
		KafkaTopics both = new KafkaTopics(client,
				List.of(List.of(new NewTopic(this.topic, 1, (short) 1)), List.of(other)), this.warnings);
		awaitUp(both);
		Topics.delete(other.name());

		Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
			both.check();
			assertThat(this.warnings.raised()).extracting(Warnings.Raised::about).contains("unusable-" + other.name());
		});
		assertThat(both.health().getStatus()).isEqualTo(Status.UP);
		assertThat(both.takesRecords()).as("so that a producer that is stuck is replaced").isTrue();

		Topics.delete(this.topic);
		Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
			both.check();
			assertThat(both.health().getStatus()).isEqualTo(Status.DOWN);
		});
		client.destroy();
	}

	/** An operator who mends one of its purposes would take the others away. */
	@Test
	void staysUpWhileTheTopicOfOneOfTwoPurposesIsNewAgain() throws Exception {
		NewTopic other = new NewTopic(this.topic + "-other", 1, (short) 1);
		Set<String> unanswered = ConcurrentHashMap.newKeySet();
		KafkaTopics both = twoPurposes(other, new TopicLeaders(this.warnings.about("topic-leaders")) {

			@Override
			boolean isNew(Admin admin, String topic, int partitions) throws InterruptedException {
				return unanswered.contains(topic) || super.isNew(admin, topic, partitions);
			}

		});
		unanswered.add(other.name());
		both.check();
		assertThat(both.health().getStatus()).as("at the first start").isEqualTo(Status.OUT_OF_SERVICE);
		unanswered.clear();
		awaitUp(both);

		unanswered.add(other.name());
		both.check();

		assertThat(both.health().getStatus()).isEqualTo(Status.UP);
		assertThat(both.takesRecords()).isTrue();

		unanswered.add(this.topic);
		both.check();

		assertThat(both.health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
		assertThat(both.takesRecords()).isFalse();
	}

	@Test
	void warnsOfPartitionsWithoutLeadersWhileTheTopicOfAnotherPurposeIsAway() throws Exception {
		NewTopic other = new NewTopic(this.topic + "-other", 1, (short) 1);
		Set<String> damaged = ConcurrentHashMap.newKeySet();
		KafkaTopics both = twoPurposes(other, new TopicLeaders(this.warnings.about("topic-leaders")) {

			@Override
			@Nullable String failure(TopicDescription topic) {
				return super.failure(damaged.contains(topic.name()) ? withoutALeader(topic) : topic);
			}

		});
		Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
			both.check();
			assertThat(both.takesRecords()).isTrue();
		});
		Topics.delete(other.name());
		damaged.add(this.topic);

		Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
			both.check();
			assertThat(this.warnings.raised()).extracting(Warnings.Raised::about)
				.contains("topic-leaders", "unusable-" + other.name());
		});
		assertThat(both.health().getStatus()).isEqualTo(Status.UP);
		assertThat(both.takesRecords()).as("where no purpose has all leaders").isFalse();
	}

	/** A topic that was just created takes records a little later. */
	private static void awaitUp(KafkaTopics topics) {
		Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
			topics.check();
			assertThat(topics.health().getStatus()).isEqualTo(Status.UP);
		});
	}

	private KafkaTopics twoPurposes(NewTopic other, TopicLeaders leaders) {
		LazyAdmin client = new LazyAdmin(Map.of("bootstrap.servers", Backends.get().kafka()));
		this.clients.add(client);
		return new KafkaTopics(client, List.of(List.of(new NewTopic(this.topic, 2, (short) 1)), List.of(other)),
				this.warnings, leaders);
	}

	/**
	 * As Kafka describes a topic while a broker is away that was alone with a partition.
	 */
	private static TopicDescription withoutALeader(TopicDescription topic) {
		return new TopicDescription(topic.name(), false, topic.partitions()
			.stream()
			.map((one) -> (one.partition() == 0) ? new TopicPartitionInfo(0, null, one.replicas(), List.of()) : one)
			.toList());
	}

	@Test
	void isDownWhileTheFirstOfTwoTopicsIsAway() throws Exception {
		String other = this.topic + "-dlt";
		KafkaTopics both = topics(Backends.get().kafka(), new NewTopic(other, 1, (short) 1));
		awaitUp(both);
		Topics.delete(this.topic);

		Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
			both.check();
			assertThat(both.health().getStatus()).isEqualTo(Status.DOWN);
		});
		assertThat(both.id(other)).isNotNull();
	}

	/** The first job would get 503. */
	@Test
	void isUpOnceEachPartitionOfANewTopicTakesRecords() throws Exception {
		int partitions = 40;
		String other = this.topic + "-wide";
		KafkaTopics both = topics(Backends.get().kafka(), new NewTopic(other, partitions, (short) 1));

		Awaitility.await().pollInterval(Duration.ofMillis(1)).atMost(20, TimeUnit.SECONDS).until(() -> {
			both.check();
			return both.health().getStatus().equals(Status.UP);
		});

		try (var producer = new KafkaProducer<>(Map.of("bootstrap.servers", Backends.get().kafka(), "retries", 0,
				"enable.idempotence", false, "linger.ms", 0), new StringSerializer(), new StringSerializer())) {
			List<Future<RecordMetadata>> sent = IntStream.range(0, partitions)
				.mapToObj((partition) -> producer.send(new ProducerRecord<>(other, partition, "key", "value")))
				.toList();
			for (Future<RecordMetadata> one : sent) {
				assertThat(one.get(20, TimeUnit.SECONDS).offset()).isZero();
			}
		}
		assertThat(both.takesRecords()).isTrue();
	}

	@Test
	void isDownWithoutKafka() throws InterruptedException {
		KafkaTopics nowhere = topics("127.0.0.1:1");

		nowhere.check();

		assertThat(nowhere.health().getStatus()).isEqualTo(Status.DOWN);
	}

	@Test
	@Tag("long")
	void saysSinceWhenAndWhyKafkaIsOfNoUse() throws InterruptedException {
		KafkaTopics nowhere = topics("127.0.0.1:1");
		nowhere.check();
		Object since = nowhere.health().getDetails().get("since");

		nowhere.check();

		assertThat(since).isInstanceOf(Instant.class);
		assertThat(nowhere.health().getDetails()).isEqualTo(Map.of("reason", "Kafka does not answer", "since", since));
	}

	/**
	 * To create it would hide that somebody has deleted jobs, and consumers would pass
	 * over the records of the new one.
	 */
	@Test
	void leavesATopicAwayThatSomebodyHasDeletedUntilAnOperatorWantsItBack() throws Exception {
		this.topics.check();
		Uuid first = this.topics.id(this.topic);
		Topics.delete(this.topic);

		for (int i = 0; i < 3; i++) {
			this.topics.check();
		}

		assertThat(this.topics.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(this.topics.health().getDetails()).extractingByKey("reason")
			.asString()
			.contains(this.topic, "deleted");
		assertThat(this.admin.listTopics().names().get(10, TimeUnit.SECONDS)).doesNotContain(this.topic);

		this.topics.create(this.topic);

		Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
			this.topics.check();
			assertThat(this.topics.health().getStatus()).isEqualTo(Status.UP);
			assertThat(this.topics.id(this.topic)).isNotNull().isNotEqualTo(first);
		});
		assertThat(partitions()).isEqualTo(3);
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
