package jobs.kafkatomongo.store;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.chassis.kafka.KafkaTopics;
import jobs.contract.Utf8;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.TestBackends;
import jobs.kafkatomongo.consumption.BoundedPoll;
import jobs.kafkatomongo.consumption.ListenerHealth;
import jobs.kafkatomongo.consumption.StoredOffsets;
import jobs.kafkatomongo.document.RecordParser;
import jobs.kafkatomongo.pipeline.Pipelines;
import jobs.testkit.Backends;
import jobs.testkit.HostilePaths;
import jobs.testkit.Topics;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentMatchers;
import org.mockito.Mockito;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.event.ListenerContainerPartitionIdleEvent;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is on the topic is in MongoDB or in the dead-letter topic.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = "spring.kafka.listener.concurrency=2")
@Import(TestBackends.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(OutputCaptureExtension.class)
class ListenerTests {

	private static final String TOPIC = "jobs-" + UUID.randomUUID();

	private static final String DEAD_LETTERS = TOPIC + "-dlt";

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	@LocalServerPort
	private int port;

	@Autowired
	private Pipelines pipelines;

	private MongoCollection<BsonDocument> collection;

	private RecordParser parser;

	@Autowired
	private KafkaTopics topics;

	private StoredOffsets stored;

	private ListenerHealth listener;

	private RecordListener jobs;

	@Autowired
	private MeterRegistry meters;

	private KafkaListenerEndpointRegistry registry;

	@DynamicPropertySource
	static void ownNames(DynamicPropertyRegistry registry) {
		registry.add("kafka-to-mongo.topic", () -> TOPIC);
		registry.add("kafka-to-mongo.dead-letter-topic", () -> DEAD_LETTERS);
		registry.add("spring.kafka.consumer.group-id", () -> TOPIC);
	}

	@BeforeEach
	void findThePipeline() {
		this.collection = Records.collection(this.pipelines);
		this.stored = Records.of(this.pipelines, StoredOffsets.class);
		this.listener = Records.of(this.pipelines, ListenerHealth.class);
		this.jobs = Records.of(this.pipelines, RecordListener.class);
		this.registry = Records.of(this.pipelines, KafkaListenerEndpointRegistry.class);
		this.parser = Mockito.spy(Records.of(this.pipelines, RecordParser.class));
		ReflectionTestUtils.setField(this.jobs, "parser", this.parser);
	}

	@BeforeEach
	void awaitTopics() {
		await(() -> assertThat(this.topics.health().getStatus()).isEqualTo(Status.UP));
	}

	@Test
	void beginsWithoutAWordAtTheBeginningOfATopicThatWasNeverRead(CapturedOutput log) {
		publish("first", "{\"title\":\"first\"}");

		await(() -> assertThat(find("_id", "first")).hasSize(1));
		assertThat(log).doesNotContain("NoOffsetForPartitionException");
	}

	@Test
	void waitsForNoCommitAndTimesNoListenerTwice() {
		publish("timed", "{\"title\":\"timed\"}");

		await(() -> assertThat(find("_id", "timed")).hasSize(1));
		assertThat(this.registry.getListenerContainers()).isNotEmpty()
			.noneMatch((container) -> container.getContainerProperties().isSyncCommits());
		assertThat(this.meters.find("spring.kafka.listener").timers()).isEmpty();
	}

	@Test
	void storesTheMessageOfTheTutorialThatHasNoKey() {
		publish(null, "{\"title\":\"Tutorial\",\"description\":\"d\",\"company\":\"c\",\"salary\":\"$10,000\"}");

		await(() -> assertThat(find("title", "Tutorial")).singleElement().satisfies((document) -> {
			assertThat(document.getString("_id").getValue()).startsWith(TOPIC + "#");
			assertThat(document.getString("salary").getValue()).isEqualTo("$10,000");
		}));
	}

	@Test
	void putsWhatIsNoJobAmongTheDeadLettersAndStoresItsNeighbours() {
		String[] bad = { "nonsense", "", "{\"company\":\"x\"}", "[1]", "{\"title\":\"a\",\"title\":\"b\"}" };
		for (int i = 0; i < 50; i++) {
			publish("bad-" + i, bad[i % bad.length]);
			publish("good-" + i, "{\"title\":\"neighbour\"}");
		}
		publish("bad-tombstone", null);

		await(() -> assertThat(find("title", "neighbour")).hasSize(50));
		await(() -> assertThat(deadLetters("bad-")).hasSize(51));
		assertThat(deadLetters("bad-0")).singleElement().satisfies((deadLetter) -> {
			assertThat(new String(deadLetter.value(), StandardCharsets.UTF_8)).isEqualTo("nonsense");
			assertThat(header(deadLetter, "dlt-reason")).isEqualTo("not-json");
			assertThat(header(deadLetter, "dlt-detail")).contains("line 1");
			assertThat(header(deadLetter, "dlt-original-topic")).isEqualTo(TOPIC);
			assertThat(header(deadLetter, "dlt-original-partition")).matches("[0-5]");
			assertThat(header(deadLetter, "dlt-original-offset")).matches("[0-9]+");
			assertThat(header(deadLetter, "dlt-original-timestamp")).matches("[0-9]{13}");
			assertThat(header(deadLetter, "sender")).isEqualTo("test");
		});
		assertThat(deadLetters("bad-2")).singleElement()
			.satisfies((deadLetter) -> assertThat(header(deadLetter, "dlt-reason")).isEqualTo("contract"));
		assertThat(deadLetters("bad-tombstone")).singleElement()
			.satisfies((deadLetter) -> assertThat(deadLetter.value()).isNull());
	}

	@Test
	void keepsTheFirstOfTwoJobsWithOneKey() {
		publish("conflict", "{\"title\":\"first\"}");
		await(() -> assertThat(find("_id", "conflict")).hasSize(1));

		publish("conflict", "{\"title\":\"second\"}");

		await(() -> assertThat(deadLetters("conflict")).singleElement()
			.satisfies((deadLetter) -> assertThat(header(deadLetter, "dlt-reason")).isEqualTo("conflict")));
		assertThat(find("_id", "conflict")).extracting((document) -> document.getString("title").getValue())
			.containsExactly("first");
	}

	/** Several threads share it. */
	@Test
	void storesALargeBatchWithBadRecordsInAllItsParts() {
		// so that it is full in records as well as in bytes
		String text = "x".repeat(BoundedPoll.BATCH_BYTES / BoundedPoll.BATCH_RECORDS);
		List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
		for (int i = 0; i < BoundedPoll.BATCH_RECORDS; i++) {
			String key = "large-" + ((i % 1000 == 700) ? i - 300 : i);
			String value = (i % 1000 == 100) ? "nonsense"
					: "{\"title\":\"large\",\"number\":%d,\"text\":\"%s\"}".formatted(i, text);
			records.add(new ConsumerRecord<>(TOPIC, 0, 1_000_000L + i, key.getBytes(StandardCharsets.UTF_8),
					value.getBytes(StandardCharsets.UTF_8)));
		}

		this.jobs.listen(records);

		assertThat(find("title", "large")).hasSize(BoundedPoll.BATCH_RECORDS - 8);
		for (int i = 0; i < 4; i++) {
			String bad = "large-" + (1000 * i + 100);
			String first = "large-" + (1000 * i + 400);
			int number = 1000 * i + 400;
			await(() -> assertThat(deadLetters(bad)).hasSize(1));
			await(() -> assertThat(deadLetters(first)).hasSize(1));
			assertThat(find("_id", first)).extracting((document) -> document.getInt32("number").getValue())
				.containsExactly(number);
		}
	}

	@Test
	void commitsWhatIsSafe() {
		publish("committed", "{\"title\":\"committed\"}");

		await(() -> assertThat(lag()).isZero());

		assertThat(find("_id", "committed")).hasSize(1);
	}

	@Test
	void startsAgainWhenTheListenerDied() {
		await(() -> assertThat(this.listener.health().getStatus()).isEqualTo(Status.UP));
		this.registry.getAllListenerContainers().forEach((container) -> container.stopAbnormally(() -> {
		}));

		publish("after", "{\"title\":\"after\"}");

		await(() -> assertThat(find("_id", "after")).hasSize(1));
		await(() -> assertThat(this.listener.health().getStatus()).isEqualTo(Status.UP));
	}

	/**
	 * With Kafka's own mock of a consumer, since no broker loses a commit when asked to.
	 */
	@Test
	void repeatsALostCommitOfAPartitionWhereNothingComes() {
		publishToEach("settled");
		await(() -> assertThat(find("title", "settled")).hasSize(60));
		TopicPartition partition = new TopicPartition(TOPIC, 0);
		try (MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest")) {
			consumer.assign(List.of(partition));
			consumer.updateBeginningOffsets(new HashMap<>(Map.of(partition, 0L)));
			consumer.seek(partition, 6);
			MessageListenerContainer container = this.registry.getAllListenerContainers().iterator().next();

			Objects.requireNonNull(((AbstractMessageListenerContainer<?, ?>) container).getApplicationEventPublisher())
				.publishEvent(new ListenerContainerPartitionIdleEvent(container, container, 10_000, "jobs", partition,
						consumer, false));

			assertThat(consumer.committed(Set.of(partition)).get(partition).offset()).isEqualTo(6);
		}
	}

	@Test
	void createsTheDeadLetterTopicAgainAndWritesEachDeadLetterOnce() throws Exception {
		Topics.delete(DEAD_LETTERS);
		createTopic(DEAD_LETTERS);

		for (int i = 0; i < 20; i++) {
			publish("waiting-" + i, "nonsense");
		}

		await(() -> assertThat(deadLetters("waiting-")).hasSize(20));
		await(() -> assertThat(lag()).isZero());
		assertThat(deadLetters("waiting-")).hasSize(20);
	}

	/**
	 * As a regular expression of the user's may do it, in the schema.
	 */
	@Test
	void goesOnAfterARecordThatItFailsToRead() throws Exception {
		Mockito.doThrow(new StackOverflowError())
			.when(this.parser)
			.parse(ArgumentMatchers
				.argThat((record) -> record != null && "overflow".equals(Utf8.decode(record.key()))));
		publish("overflow", "{\"title\":\"overflow\"}");
		publish("behind-overflow", "{\"title\":\"behind\"}");

		await(() -> assertThat(deadLetters("overflow")).singleElement().satisfies((deadLetter) -> {
			assertThat(header(deadLetter, "dlt-reason")).isEqualTo("internal");
			assertThat(header(deadLetter, "dlt-detail")).contains("StackOverflowError", TOPIC + "#");
		}));
		await(() -> assertThat(find("_id", "behind-overflow")).hasSize(1));
		await(() -> assertThat(this.listener.health().getStatus()).isEqualTo(Status.UP));
	}

	/**
	 * While a batch is tried again, a part of it goes to another member of the group,
	 * with the record that holds up all others.
	 */
	@Test
	void goesOnWithItsOtherPartitionsAfterTheOneThatHoldsItUpHasGoneToAnother() throws Exception {
		Set<Integer> heldUp = ConcurrentHashMap.newKeySet();
		heldUp.addAll(List.of(0, 1, 2, 3, 4, 5));
		AtomicInteger tries = new AtomicInteger();
		// what no retry can mend, and no dead letter either
		Mockito.doAnswer((call) -> {
			ConsumerRecord<byte[], byte[]> record = call.getArgument(0);
			if (heldUp.contains(record.partition())) {
				tries.incrementAndGet();
				throw new NoClassDefFoundError();
			}
			return call.callRealMethod();
		}).when(this.parser).parse(ArgumentMatchers.any());
		publishToEach("held");
		await(() -> assertThat(tries).hasValueGreaterThan(1));

		try (KafkaConsumer<byte[], byte[]> other = member()) {
			other.subscribe(List.of(TOPIC));
			await(() -> {
				other.poll(Duration.ofMillis(100));
				assertThat(other.assignment()).isNotEmpty();
			});
			Set<Integer> theirs = other.assignment()
				.stream()
				.map(TopicPartition::partition)
				.collect(Collectors.toSet());
			heldUp.retainAll(theirs);

			await(() -> {
				other.poll(Duration.ofMillis(100));
				assertThat(find("title", "held")).hasSize(10 * (6 - theirs.size()));
			});
		}
		finally {
			heldUp.clear();
		}
		await(() -> assertThat(find("title", "held")).hasSize(60));
	}

	/**
	 * The committed offsets count in the topic that was deleted.
	 */
	@Test
	void readsATopicThatWasCreatedAnewFromItsBeginning() throws Exception {
		publishToEach("old");
		await(() -> assertThat(find("title", "old")).hasSize(60));
		await(() -> assertThat(lag()).isZero());
		this.registry.stop();
		Topics.delete(TOPIC);
		createTopic(TOPIC);
		publishToEach("new");

		this.registry.getListenerContainers().forEach(MessageListenerContainer::start);

		await(() -> assertThat(find("title", "new")).hasSize(60));
		await(() -> assertThat(this.listener.health().getStatus()).isEqualTo(Status.UP));
	}

	@Test
	void countsWhatKafkaHasDeletedUnread() throws Exception {
		publishToEach("read");
		await(() -> assertThat(find("title", "read")).hasSize(60));
		await(() -> assertThat(lag()).isZero());
		double before = deletedUnread();
		this.registry.stop();
		publishToEach("unread");
		try (Admin admin = admin(); KafkaConsumer<byte[], byte[]> consumer = consumer()) {
			Map<TopicPartition, RecordsToDelete> all = consumer.endOffsets(partitions(consumer, TOPIC))
				.entrySet()
				.stream()
				.collect(Collectors.toMap(Map.Entry::getKey, (end) -> RecordsToDelete.beforeOffset(end.getValue())));
			admin.deleteRecords(all).all().get(10, TimeUnit.SECONDS);
		}

		this.registry.getListenerContainers().forEach(MessageListenerContainer::start);

		await(() -> assertThat(deletedUnread() - before).isEqualTo(60));
		publish("after", "{\"title\":\"after\"}");
		await(() -> assertThat(find("title", "after")).hasSize(1));
		assertThat(find("title", "unread")).isEmpty();
	}

	private double deletedUnread() {
		return this.meters.find("jobs.deleted.unread").counters().stream().mapToDouble(Counter::count).sum();
	}

	/**
	 * Ten jobs on each of the six partitions.
	 */
	private static void publishToEach(String title) {
		try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", Backends.get().kafka()), new ByteArraySerializer(),
				new ByteArraySerializer())) {
			for (int i = 0; i < 60; i++) {
				producer.send(new ProducerRecord<>(TOPIC, i % 6, Records.utf8(title + i),
						Records.utf8("{\"title\":\"%s\"}".formatted(title))));
			}
		}
	}

	/**
	 * As an operator does after somebody has deleted one.
	 */
	private void createTopic(String topic) throws Exception {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://localhost:%d/actuator/topics".formatted(this.port)))
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString("{\"topic\":\"%s\"}".formatted(topic)))
			.build();
		Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> {
			assertThat(HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body()).contains("\"UP\"");
			assertThat(this.topics.health().getStatus()).isEqualTo(Status.UP);
		});
	}

	@Test
	void commitsNothingBeyondADeadLetterThatKafkaDoesNotTake() throws Exception {
		publishWhatWaitsForItsDeadLetter("stuck");

		assertThat(lag()).isPositive();
		setDeadLetterTopic("max.message.bytes", "16777216");
		await(() -> assertThat(lag()).isZero());
		assertThat(deadLetters("stuck")).hasSize(1);
	}

	@Test
	void waitsWhileAnotherConsumerStores() throws Exception {
		publishWhatWaitsForItsDeadLetter("stuck-alone");
		Map<String, Object> waiting = this.listener.health().getDetails();

		for (int i = 0; i < 20; i++) {
			publish("beside-" + i, "{\"title\":\"beside\"}");
		}

		await(() -> assertThat(find("title", "beside")).isNotEmpty());
		assertThat(this.listener.health().getDetails()).isEqualTo(waiting);
		setDeadLetterTopic("max.message.bytes", "16777216");
		await(() -> assertThat(lag()).isZero());
		await(() -> assertThat(this.listener.health().getStatus()).isEqualTo(Status.UP));
	}

	/** One after the other, both take longer than a pod has to end. */
	@Test
	void endsBesideTheRequestsInHand() {
		assertThat(this.pipelines.getPhase()).isEqualTo(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
	}

	@Test
	void leavesOutAValueThatTheDeadLetterTopicDoesNotTake() throws Exception {
		publish("large", "nonsense".repeat(1000));
		await(() -> assertThat(deadLetters("large")).hasSize(1));
		setDeadLetterTopic("max.message.bytes", "1000");

		publish("larger", "nonsense".repeat(2000));
		publish("behind", "{\"title\":\"behind\"}");

		await(() -> assertThat(find("_id", "behind")).hasSize(1));
		await(() -> assertThat(deadLetters("larger")).singleElement().satisfies((deadLetter) -> {
			assertThat(deadLetter.value()).isNull();
			assertThat(header(deadLetter, "dlt-detail")).contains("left out").contains("line 1");
			assertThat(header(deadLetter, "dlt-original-offset")).isNotEmpty();
		}));
		setDeadLetterTopic("max.message.bytes", "16777216");
	}

	/**
	 * Somebody runs a tool with the group's name: it gets partitions, and commits records
	 * that nobody has stored.
	 */
	@Test
	void storesWhatAStrangerInTheGroupHasCommitted() throws Exception {
		publishToEach("before a stranger");
		await(() -> assertThat(lag()).isZero());
		// the write of every ten seconds, which the stranger must not come before
		await(() -> {
			this.stored.write();
			assertThat(this.stored.read().keySet()).filteredOn((one) -> one.topic().equals(TOPIC)).hasSize(6);
		});
		int taken = 0;
		try (KafkaConsumer<byte[], byte[]> stranger = new KafkaConsumer<>(Map.of("bootstrap.servers",
				Backends.get().kafka(), "group.id", TOPIC, "client.id", "some-tool", "auto.offset.reset", "latest"),
				new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
			stranger.subscribe(List.of(TOPIC));
			Awaitility.await().pollInSameThread().atMost(30, TimeUnit.SECONDS).until(() -> {
				stranger.poll(Duration.ofMillis(100));
				return !stranger.assignment().isEmpty();
			});
			publishToEach("taken by a stranger");
			long start = System.nanoTime();
			while (taken == 0 && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(30)) {
				taken += stranger.poll(Duration.ofMillis(100)).count();
			}
			stranger.commitSync();
		}

		assertThat(taken).isPositive();
		await(() -> assertThat(find("title", "taken by a stranger")).hasSize(60));
		assertThat(this.meters.find("jobs.passed.over").counters().stream().mapToDouble(Counter::count).sum())
			.isGreaterThanOrEqualTo(taken);
		await(() -> assertThat(lag()).isZero());
	}

	@Test
	void answersNoPathOfAnIdWithAFaultOfItsOwn(CapturedOutput log) throws Exception {
		for (String path : HostilePaths.of("/jobs", "/dead-letters", "/dead-letters/replays").toList()) {
			assertThat(HostilePaths.statusLine(this.port, "GET", path)).as(path)
				.startsWith("HTTP/1.1 ")
				.doesNotContain(" 500");
		}
		assertThat(log.getAll()).doesNotContain("Servlet.service()");
	}

	/** A compacted topic takes no record without a key. */
	@Test
	void goesOnWhereTheDeadLetterTopicIsCompacted() throws Exception {
		setDeadLetterTopic("cleanup.policy", "compact");
		try {
			publish(null, "no key and no JSON");
			publishToEach("behind a record without a key");

			await(() -> assertThat(lag()).isZero());
			assertThat(find("title", "behind a record without a key")).isNotEmpty();
		}
		finally {
			setDeadLetterTopic("cleanup.policy", "delete");
		}
	}

	private void publishWhatWaitsForItsDeadLetter(String key) throws Exception {
		setDeadLetterTopic("max.message.bytes", "1");
		publish(key, "nonsense");
		await(() -> assertThat(this.listener.health().getDetails()).as("The batch waits for its dead letter")
			.containsKeys("reason", "since"));
		assertThat(this.meters.get("jobs.back.off").gauge().value()).isBetween(0.5, 10.0);
		assertThat(this.meters.get("jobs.batch.retries").counter().count()).isPositive();
	}

	/** Returns once the broker goes by it. */
	private static void setDeadLetterTopic(String name, String value) throws Exception {
		ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, DEAD_LETTERS);
		AlterConfigOp set = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
		try (Admin admin = admin()) {
			admin.incrementalAlterConfigs(Map.of(topic, List.of(set))).all().get(10, TimeUnit.SECONDS);
			await(() -> assertThat(
					admin.describeConfigs(List.of(topic)).all().get(10, TimeUnit.SECONDS).get(topic).get(name))
				.extracting(ConfigEntry::value)
				.isEqualTo(value));
		}
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(assertion);
	}

	private List<BsonDocument> find(String field, String value) {
		return this.collection.find(Filters.eq(field, value)).into(new ArrayList<>());
	}

	/** Other producers choose their keys, and those are ids. */
	@ParameterizedTest
	@ValueSource(strings = { "?id=a%00b", "?id=..", "?id=.", "?id=a%2Fb%5Cc%3F", "/a%2Fb%5Cc%3F", "/a%25b",
			"?id=%F0%9F%98%80" })
	void looksForEveryId(String id) throws Exception {
		assertThat(HostilePaths.statusLine(this.port, "GET", "/jobs" + id)).startsWith("HTTP/1.1 404");
	}

	/** Spring would take what is before it for the id, and erase another job. */
	@Test
	void actsOnNoIdWithASemicolon() throws Exception {
		publish("acme", "{\"title\":\"stays\"}");
		await(() -> assertThat(find("_id", "acme")).hasSize(1));

		for (String path : List.of("/jobs/acme;42", "/dead-letters/acme;42")) {
			assertThat(HostilePaths.statusLine(this.port, "DELETE", path)).startsWith("HTTP/1.1 400");
		}
		assertThat(HostilePaths.statusLine(this.port, "GET", "/jobs/acme%3B42")).startsWith("HTTP/1.1 404");
		assertThat(find("title", "stays")).hasSize(1);
	}

	@Test
	void looksForAnIdOfFourThousandCharacters() throws Exception {
		for (String path : List.of("/jobs/", "/jobs?id=")) {
			assertThat(HostilePaths.statusLine(this.port, "GET", path + "x".repeat(4000))).startsWith("HTTP/1.1 404");
		}
	}

	private static void publish(@Nullable String key, @Nullable String value) {
		try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", Backends.get().kafka()), new ByteArraySerializer(),
				new ByteArraySerializer())) {
			ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(TOPIC,
					(key != null) ? Records.utf8(key) : null, (value != null) ? Records.utf8(value) : null);
			record.headers().add("sender", Records.utf8("test"));
			producer.send(record);
		}
	}

	private static long lag() throws Exception {
		try (Admin admin = admin(); KafkaConsumer<byte[], byte[]> consumer = consumer()) {
			Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(TOPIC)
				.partitionsToOffsetAndMetadata()
				.get(10, TimeUnit.SECONDS);
			long lag = 0;
			for (Map.Entry<TopicPartition, Long> end : consumer.endOffsets(partitions(consumer, TOPIC)).entrySet()) {
				OffsetAndMetadata offset = committed.get(end.getKey());
				lag += end.getValue() - ((offset != null) ? offset.offset() : 0);
			}
			return lag;
		}
	}

	private static List<ConsumerRecord<byte[], byte[]>> deadLetters(String key) {
		try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
			List<TopicPartition> partitions = partitions(consumer, DEAD_LETTERS);
			consumer.assign(partitions);
			consumer.seekToBeginning(partitions);
			Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
			List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
			while (partitions.stream().anyMatch((partition) -> consumer.position(partition) < ends.get(partition))) {
				for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
					String found = new String(record.key(), StandardCharsets.UTF_8);
					if (key.endsWith("-") ? found.startsWith(key) : found.equals(key)) {
						records.add(record);
					}
				}
			}
			return records;
		}
	}

	private static List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer, String topic) {
		List<TopicPartition> partitions = new ArrayList<>();
		for (PartitionInfo partition : consumer.partitionsFor(topic)) {
			partitions.add(new TopicPartition(topic, partition.partition()));
		}
		return partitions;
	}

	private static Admin admin() {
		return Admin.create(Map.of("bootstrap.servers", Backends.get().kafka()));
	}

	private static KafkaConsumer<byte[], byte[]> consumer() {
		return new KafkaConsumer<>(Map.of("bootstrap.servers", Backends.get().kafka()), new ByteArrayDeserializer(),
				new ByteArrayDeserializer());
	}

	/** Another member of the service's group, which commits nothing. */
	private static KafkaConsumer<byte[], byte[]> member() {
		return new KafkaConsumer<>(Map.of("bootstrap.servers", Backends.get().kafka(), "group.id", TOPIC,
				"enable.auto.commit", "false", "auto.offset.reset", "earliest"), new ByteArrayDeserializer(),
				new ByteArrayDeserializer());
	}

	private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
		return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
	}

}
