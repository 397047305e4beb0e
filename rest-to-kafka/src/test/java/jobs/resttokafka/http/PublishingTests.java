package jobs.resttokafka.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import jobs.resttokafka.publish.DocumentIds;
import jobs.testkit.Backends;
import jobs.testkit.Topics;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is accepted is in Kafka.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = "server.tomcat.connection-timeout=3s")
@Import(TestKafka.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PublishingTests extends ReadyTestBase {

	private static final String TOPIC = "jobs-" + UUID.randomUUID();

	private static final String JOB = "{\"title\":\"Engineer\"}";

	@DynamicPropertySource
	static void ownTopic(DynamicPropertyRegistry registry) {
		registry.add("rest-to-kafka.topic", () -> TOPIC);
		registry.add("rest-to-kafka.jobs-url", () -> "http://localhost:9091/jobs/");
	}

	@Test
	void publishesThePostedBytesUnderTheIdItAnswers() throws Exception {
		String job = " {\"title\" : \"Engineer\",\"n\":1.10, \"s\":\"\\u00e9\" }\n";

		HttpResponse<String> answer = send(post(job));

		assertThat(answer.statusCode()).isEqualTo(202);
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
		String id = json(answer.body()).get("id").asString();
		assertThat(answer.body()).isEqualTo("{\"id\":\"" + id + "\"," + job.substring(2) + "\n");
		assertThat(answer.headers().firstValue("Location")).hasValue("http://localhost:9091/jobs/" + id);
		assertThat(records()).filteredOn((record) -> record.key().equals(id))
			.extracting((record) -> new String(record.value(), StandardCharsets.UTF_8))
			.containsExactly(job);
	}

	@Test
	void givesARepeatedKeyTheSameId() throws Exception {
		String key = UUID.randomUUID().toString();

		String first = json(send(post("{\"title\":\"a\"}").header("Idempotency-Key", key)).body()).get("id").asString();
		String second = json(send(post("{\"title\":\"a\"}").header("Idempotency-Key", key)).body()).get("id")
			.asString();

		assertThat(second).isEqualTo(first);
	}

	@Test
	void acceptsAJobOfExactlyTheLimit() throws Exception {
		assertThat(send(post("{\"title\":\"" + "x".repeat(256 * 1024 - 12) + "\"}")).statusCode()).isEqualTo(202);
	}

	@Test
	void createsTheTopicWithSixPartitions() throws Exception {
		try (KafkaConsumer<String, byte[]> consumer = consumer()) {
			assertThat(consumer.partitionsFor(TOPIC)).hasSize(6);
		}
	}

	@Test
	void answersAnUploadLineByLine() throws Exception {
		String upload = "{\"title\":\"a\"}\nnonsense\n" + "x".repeat(300_000)
				+ "\r\n{\"title\":\"b\"}\r\n{\"title\":\"last\"}";

		List<JsonNode> outcomes = send(post(upload).setHeader("Content-Type", "application/x-ndjson")).body()
			.lines()
			.map(PublishingTests::json)
			.toList();

		assertThat(outcomes).extracting((outcome) -> outcome.get("line").asInt()).containsExactly(1, 2, 3, 4, 5);
		assertThat(outcomes).extracting((outcome) -> outcome.get("status").asInt())
			.containsExactly(202, 400, 413, 202, 202);
		assertThat(outcomes.get(0).propertyNames()).containsExactly("line", "status", "id");
		assertThat(records()).extracting(ConsumerRecord::key)
			.contains(outcomes.get(0).get("id").asString(), outcomes.get(3).get("id").asString(),
					outcomes.get(4).get("id").asString());
	}

	@Test
	void answersAnUploadWithRefusedLinesAndCountsWhereTheClientPrefersIt() throws Exception {
		HttpResponse<String> answer = send(
				post(JOB + "\nnonsense\n" + JOB + "\n").setHeader("Content-Type", "application/x-ndjson")
					.header("Prefer", "return=minimal"));

		assertThat(answer.statusCode()).isEqualTo(200);
		assertThat(answer.headers().firstValue("Preference-Applied")).hasValue("return=minimal");
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/x-ndjson");
		assertThat(answer.body().lines()).satisfiesExactly(
				(line) -> assertThat(line).startsWith("{\"line\":2,\"status\":400,\"detail\":"),
				(line) -> assertThat(line).isEqualTo("{\"lines\":3,\"accepted\":2,\"refused\":1}"));
	}

	/**
	 * The outcomes of all lines would be more than the buffers of both sockets take.
	 */
	@Test
	void answersAClientThatReadsNothingBeforeItHasSentEverything() throws Exception {
		int lines = 150_000;
		String upload = (JOB + "\n").repeat(lines);
		try (Socket socket = new Socket()) {
			socket.setReceiveBufferSize(65536);
			socket.connect(new InetSocketAddress("127.0.0.1", this.port));
			write(socket.getOutputStream(),
					"POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\nPrefer: return=minimal\r\n"
							+ "Content-Length: " + upload.length() + "\r\n\r\n");

			write(socket.getOutputStream(), upload);

			BufferedReader in = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
			assertThat(outcome(in)).isEqualTo("{\"lines\":150000,\"accepted\":150000,\"refused\":0}");
		}
	}

	@Test
	void answersEachLineOfAnUploadWhileTheClientWaitsForIt() throws Exception {
		try (Socket socket = new Socket("127.0.0.1", this.port)) {
			socket.setSoTimeout(5000);
			OutputStream out = socket.getOutputStream();
			BufferedReader in = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
			write(out, "POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\n"
					+ "Transfer-Encoding: chunked\r\n\r\n");
			for (int line = 1; line <= 3; line++) {
				write(out, "e\r\n{\"title\":\"a\"}\n\r\n");

				assertThat(outcome(in)).startsWith("{\"line\":" + line + ",\"status\":202");
			}
		}
	}

	/** Else it would send again what was accepted. */
	@Test
	void countsWhatWasAcceptedForAClientThatStalls() throws Exception {
		try (Socket socket = new Socket("127.0.0.1", this.port)) {
			socket.setSoTimeout(10_000);
			write(socket.getOutputStream(),
					"POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\nPrefer: return=minimal\r\n"
							+ "Content-Length: 1000\r\n\r\n" + (JOB + "\n").repeat(3));

			assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
				.startsWith("HTTP/1.1 200")
				.containsSubsequence("Connection: close", "{\"line\":4,\"status\":408,",
						"{\"lines\":4,\"accepted\":3,\"refused\":1}")
				.endsWith("\"refused\":1}\n");
		}
	}

	@Test
	void keepsWhatAnUploadSentBeforeItBrokeOffAndNoHalfLine() throws Exception {
		String key = UUID.randomUUID().toString();
		try (Socket socket = new Socket("127.0.0.1", this.port)) {
			write(socket.getOutputStream(),
					"POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\n" + "Idempotency-Key: "
							+ key + "\r\nContent-Length: 1000\r\n\r\n{\"title\":\"whole\"}\n{\"title\":\"cut\"}");
		}
		DocumentIds ids = new DocumentIds();

		Awaitility.await()
			.atMost(10, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(records()).extracting(ConsumerRecord::key).contains(ids.forLine(key, 1)));
		assertThat(records()).extracting(ConsumerRecord::key).doesNotContain(ids.forLine(key, 2));
	}

	@Test
	void answers413WhenTheTopicTakesLess() throws Exception {
		setTopic("max.message.bytes", "1000");
		try {
			Awaitility.await()
				.atMost(10, TimeUnit.SECONDS)
				.until(() -> send(post("{\"title\":\"" + "x".repeat(2000) + "\"}")).statusCode() == 413);
			assertThat(send(post("{\"title\":\"small\"}")).statusCode()).isEqualTo(202);
		}
		finally {
			setTopic("max.message.bytes", "1048588");
		}
	}

	@Test
	void createsTheTopicAgainWhenItHasGoneAndAnOperatorWantsIt() throws Exception {
		Topics.delete(TOPIC);
		HttpRequest.Builder create = HttpRequest.newBuilder(uri("/actuator/topics"))
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString("{\"topic\":\"%s\"}".formatted(TOPIC)));
		Awaitility.await()
			.atMost(30, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(send(create).body()).contains("\"UP\""));

		Awaitility.await()
			.atMost(30, TimeUnit.SECONDS)
			.until(() -> send(post("{\"title\":\"again\"}")).statusCode() == 202);
		createsTheTopicWithSixPartitions();
	}

	@Test
	void answers503WhileItsClockIsWrongForTheBroker() throws Exception {
		setTopic("message.timestamp.before.max.ms", "0");
		try {
			// a job that arrives in the millisecond of its timestamp is taken
			HttpResponse<String> refused = Awaitility.await()
				.atMost(20, TimeUnit.SECONDS)
				.until(() -> send(post(JOB)), (answer) -> answer.statusCode() != 202);

			assertThat(refused.statusCode()).isEqualTo(503);
			assertThat(refused.headers().firstValue("Retry-After")).isPresent();
		}
		finally {
			setTopic("message.timestamp.before.max.ms", Long.toString(Long.MAX_VALUE));
		}
		Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> send(post(JOB)).statusCode() == 202);
	}

	private static void setTopic(String setting, String value) {
		ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, TOPIC);
		AlterConfigOp set = new AlterConfigOp(new ConfigEntry(setting, value), AlterConfigOp.OpType.SET);
		try (Admin admin = Admin.create(Map.of("bootstrap.servers", Backends.get().kafka()))) {
			// a broker learns of a new topic a little later than the controller
			Awaitility.await()
				.atMost(20, TimeUnit.SECONDS)
				.ignoreExceptions()
				.untilAsserted(() -> admin.incrementalAlterConfigs(Map.of(topic, List.of(set)))
					.all()
					.get(5, TimeUnit.SECONDS));
		}
	}

	private static String outcome(BufferedReader in) throws IOException {
		String line = in.readLine();
		while (line != null && !line.startsWith("{")) {
			line = in.readLine();
		}
		return (line != null) ? line : "";
	}

	private static void write(OutputStream out, String text) throws IOException {
		out.write(text.getBytes(StandardCharsets.UTF_8));
		out.flush();
	}

	private static List<ConsumerRecord<String, byte[]>> records() {
		try (KafkaConsumer<String, byte[]> consumer = consumer()) {
			List<TopicPartition> partitions = new ArrayList<>();
			for (PartitionInfo partition : consumer.partitionsFor(TOPIC)) {
				partitions.add(new TopicPartition(TOPIC, partition.partition()));
			}
			consumer.assign(partitions);
			consumer.seekToBeginning(partitions);
			Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
			List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
			while (partitions.stream().anyMatch((partition) -> consumer.position(partition) < ends.get(partition))) {
				consumer.poll(Duration.ofMillis(100)).forEach(records::add);
			}
			return records;
		}
	}

	private static KafkaConsumer<String, byte[]> consumer() {
		return new KafkaConsumer<>(Map.of("bootstrap.servers", Backends.get().kafka()), new StringDeserializer(),
				new ByteArrayDeserializer());
	}

	private static JsonNode json(String text) {
		return new JsonMapper().readTree(text);
	}

}
