package jobs.resttokafka.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import jobs.resttokafka.publish.DocumentIds;
import jobs.testkit.Backends;
import jobs.testkit.HostileJobs;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bytes that no good client sends. Each request gets its answer, and Kafka what was
 * answered with 202, nothing else.
 */
@Tag("long")
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@Import(TestKafka.class)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileInputTests {

	private static final String TOPIC = "jobs-" + UUID.randomUUID();

	private static final String JOB = "{\"title\":\"Engineer\"}";

	private static final String HEAD = "POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";

	private static final String GOOD = HEAD + "Content-Length: 20\r\n\r\n" + JOB;

	private static final String CHUNKED = HEAD + "Transfer-Encoding: chunked\r\n\r\n";

	private static final String CHUNKS = "14\r\n" + JOB + "\r\n0\r\n\r\n";

	private static final int LIMIT = 256 * 1024;

	private static KafkaConsumer<String, byte[]> consumer;

	@LocalServerPort
	private int port;

	@DynamicPropertySource
	static void ownTopic(DynamicPropertyRegistry registry) {
		registry.add("rest-to-kafka.topic", () -> TOPIC);
	}

	@AfterAll
	static void close() {
		consumer.close();
	}

	@BeforeEach
	void awaitReadiness() {
		if (consumer == null) {
			Awaitility.await()
				.atMost(30, TimeUnit.SECONDS)
				.until(() -> exchange("GET /actuator/health/readiness HTTP/1.1\r\nHost: a\r\n\r\n").getFirst()
					.startsWith("HTTP/1.1 200"));
			consumer = new KafkaConsumer<>(Map.of("bootstrap.servers", Backends.get().kafka(), "fetch.max.wait.ms", 50),
					new StringDeserializer(), new ByteArrayDeserializer());
			consumer.assign(consumer.partitionsFor(TOPIC)
				.stream()
				.map((partition) -> new TopicPartition(TOPIC, partition.partition()))
				.toList());
			consumer.seekToBeginning(consumer.assignment());
		}
		records();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/jobs", "/jobs;x", "//jobs", "/./jobs", "/jobs/.", "/jobs/../jobs", "/x/%2e%2e/jobs",
			"/%6aobs", "/jobs?x=%00", "http://a/jobs" })
	void takesAJobAtEverySpellingOfThePath(String path) throws Exception {
		assertAccepted(GOOD.replace("/jobs", path), 1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "404 /jobs/", "404 /jobs;x=1/", "404 /JOBS", "400 /../jobs", "400 /%2e%2e/jobs",
			"400 /jobs%00", "400 /jobs%2f", "400 /jobs#x", "400 /jobs%zz", "400 /jobs\\", "400 /j\u00f6bs", "400 jobs",
			"400 *", "400 http://other/jobs", "400 file:///jobs", "400 /jobs HTTP/1.1" })
	void refusesOtherPaths(String statusAndPath) throws Exception {
		assertRefused(status(statusAndPath), GOOD.replace("/jobs", statusAndPath.substring(4)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "405 post /jobs HTTP/1.1", "405 QUERY /jobs HTTP/1.1", "501 CONNECT a:80 HTTP/1.1",
			"400 PO\0ST /jobs HTTP/1.1", "400 PRI * HTTP/2.0", "505 POST /jobs HTTP/2.0", "505 POST /jobs HTTP/0.9",
			"505 POST /jobs HTTP/1.1\r" })
	void refusesOtherRequestLines(String statusAndLine) throws Exception {
		assertRefused(status(statusAndLine), GOOD.replace("POST /jobs HTTP/1.1", statusAndLine.substring(4)));
	}

	@ParameterizedTest
	@MethodSource
	void refusesHeaders(String statusAndHeader) throws Exception {
		assertRefused(status(statusAndHeader),
				GOOD.replace("\r\n\r\n", "\r\n" + statusAndHeader.substring(4) + "\r\n\r\n"));
	}

	static List<String> refusesHeaders() {
		return List.of("431 X: " + "x".repeat(10_000), "431 " + "X: x\r\n".repeat(999) + "X: x", "400 X", "400 : x",
				"400 X : x", "400  X: x", "400 X\0: x", "400 X: a\0b", "400 X: a\u0001b", "400 X: a\u007fb",
				"400 X: a\rb", "400 Host: a", "400 Content-Length: 20", "400 Content-Length: 19",
				"415 Content-Type: application/x-ndjson", "415 Content-Encoding: identity\r\nContent-Encoding: gzip",
				"417 Expect: x", "501 Transfer-Encoding: identity");
	}

	@ParameterizedTest
	@ValueSource(strings = { "X: a\r\n b", "X: a\nY: b", "X: \u00e9", "X-HTTP-Method-Override: DELETE",
			"Content-Encoding: identity",
			"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMA" })
	void takesAJobWithOddHeaders(String header) throws Exception {
		assertAccepted(GOOD.replace("\r\n\r\n", "\r\n" + header + "\r\n\r\n"), 1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "-1", "+20", "0x14", "20, 20", "20,19", "99999999999999999999", "", "\"20\"", "2\u00b2" })
	void refusesLengths(String length) throws Exception {
		assertRefused(400, GOOD.replace("Content-Length: 20", "Content-Length: " + length));
	}

	@ParameterizedTest
	@ValueSource(strings = { "501 gzip, chunked", "501 x", "400 chunked, gzip", "400 chunked, chunked",
			"400 chunked;q=1", "400 \u000bchunked", "400 \"chunked\"", "400 chunked\r\nTransfer-Encoding: chunked",
			"400 chunked\r\nTransfer-Encoding: x", "501 x\r\nTransfer-Encoding: chunked" })
	void refusesTransferEncodings(String statusAndEncoding) throws Exception {
		assertRefused(status(statusAndEncoding),
				HEAD + "Transfer-Encoding: " + statusAndEncoding.substring(4) + "\r\n\r\n" + CHUNKS + GOOD);
	}

	/**
	 * What follows them is no request: where the body ends is not known.
	 */
	@ParameterizedTest
	@MethodSource
	void refusesChunks(String chunks) throws Exception {
		assertRefused(400, CHUNKED + chunks + GOOD);
		assertThat(exchange(CHUNKED.replace("application/json", "application/x-ndjson") + chunks + GOOD))
			.singleElement()
			.asString()
			.startsWith("HTTP/1.1 200")
			.endsWith(
					"{\"line\":1,\"status\":400,\"detail\":\"The body ends before its announced length, or has a broken chunk:"
							+ " send this line and all after it again\"}\n");
		assertThat(records()).isEmpty();
	}

	static List<String> refusesChunks() {
		String rest = CHUNKS.substring(2);
		return List.of("", "\r\n", "g\r\n", "-1" + rest, "+14" + rest, "0x14" + rest, "14 " + rest, "13" + rest,
				"15" + rest, "100000000" + rest, "ffffffffffffffff" + rest, "00000000000014" + rest,
				"14;" + "x".repeat(100_000) + rest, CHUNKS.replace("\r\n", "\n"), CHUNKS.replace("0\r\n\r\n", ""),
				CHUNKS.replace("0\r\n\r\n", "0\r\n"), CHUNKS.replace("0\r\n\r\n", "0\r\nno trailer\r\n\r\n"),
				CHUNKS.replace("0\r\n\r\n", "0\r\nX: " + "x".repeat(20_000) + "\r\n\r\n"));
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "14;a=b\r\n" + JOB + "\r\n0\r\n\r\n", "14\r\n" + JOB + "\r\n0\r\nContent-Length: 3\r\n\r\n",
					"1\r\n{\r\n00013\r\n\"title\":\"Engineer\"}\r\n000\r\n\r\n" })
	void takesOddChunks(String chunks) throws Exception {
		assertAccepted(CHUNKED + chunks + GOOD, 2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Content-Length: 5", "Content-Length: 20", "Content-Length: 34" })
	void takesNothingAfterABodyWithTwoLengths(String length) throws Exception {
		for (String lengths : List.of("Transfer-Encoding: chunked\r\n" + length,
				length + "\r\nTransfer-Encoding: chunked")) {
			assertAccepted(HEAD + lengths + "\r\n\r\n" + CHUNKS + GOOD, 1);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "400 POST /jobs", "405 GET /jobs", "404 POST /nope", "415 POST /jobs" })
	void takesNoRequestOutOfTheBodyOfAnother(String statusAndTarget) throws Exception {
		int status = status(statusAndTarget);
		String head = HEAD.replace("POST /jobs", statusAndTarget.substring(4))
			.replace("application/json", (status == 415) ? "text/plain" : "application/json");

		assertRefused(status, head + "Content-Length: " + GOOD.length() + "\r\n\r\n" + GOOD);
		assertRefused(status, head + "Transfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(GOOD.length()) + "\r\n"
				+ GOOD + "\r\n0\r\n\r\n");
	}

	@Test
	void takesNoJobFromARequestWithoutALength() throws Exception {
		assertRefused(400, HEAD + "\r\n" + GOOD);
	}

	@Test
	void answersAnHttp09RequestWithoutAHead() throws Exception {
		assertThat(exchange(GOOD.replace(" HTTP/1.1", ""))).singleElement()
			.asString()
			.startsWith("{\"title\":\"Bad Request\",\"status\":400");
		assertThat(records()).isEmpty();
	}

	/**
	 * It has sent its body before it looks at the answer, which is there before that.
	 */
	@Test
	void takesAJobOnTheConnectionOfARefusedOne() throws Exception {
		String refused = HEAD.replace("application/json", "text/plain") + "Content-Length: 1000000\r\n\r\n"
				+ "x".repeat(1_000_000);

		List<String> answers = exchange(refused + GOOD);

		assertThat(answers).hasSize(2);
		assertThat(answers.getFirst()).startsWith("HTTP/1.1 415");
		assertThat(answers.getLast()).startsWith("HTTP/1.1 202");
		assertThat(records()).hasSize(1);
	}

	@Test
	void answersPipelinedJobsInTheirOrder() throws Exception {
		List<String> ids = IntStream.range(0, 20)
			.mapToObj((i) -> new DocumentIds().forRequest("pipelined " + i))
			.toList();
		StringBuilder requests = new StringBuilder();
		for (int i = 0; i < ids.size(); i++) {
			requests.append(GOOD.replace("\r\n\r\n", "\r\nIdempotency-Key: pipelined " + i + "\r\n\r\n"));
		}

		List<String> answers = exchange(requests.toString());

		assertThat(answers).allSatisfy((answer) -> assertThat(answer).startsWith("HTTP/1.1 202"));
		assertThat(answers).extracting((answer) -> json(answer).get("id").asString()).isEqualTo(ids);
		assertThat(records()).extracting(ConsumerRecord::key).containsExactlyInAnyOrderElementsOf(ids);
	}

	@Test
	void keepsWhatIsPipelinedBehindAnUpload() throws Exception {
		String lines = (JOB + "\n").repeat(3);
		String upload = request("application/x-ndjson", lines.getBytes(StandardCharsets.UTF_8));

		List<String> answers = exchange(upload + GOOD + upload + GOOD);

		assertThat(answers).extracting((answer) -> answer.substring(9, 12)).containsExactly("200", "202", "200", "202");
		assertThat(records()).hasSize(8);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Content-Length: 20\r\n\r\n{\"title\":", "Content-Length: 21\r\n\r\n" + JOB,
			"Transfer-Encoding: chunked\r\n\r\n14\r\n{\"title\":", "Transfer-Encoding: chunked\r\n\r\n14\r\n" + JOB })
	void publishesNothingOfHalfABody(String half) throws Exception {
		assertRefused(400, HEAD + half);
	}

	/**
	 * What Kafka has by then is told first: a bare 400 would have the client send it all
	 * again.
	 */
	@ParameterizedTest
	@CsvSource({ "length, 1", "chunk, 1", "length, 2", "chunk, 2", "length, 300", "chunk, 300" })
	void tellsTheOutcomesOfAnUploadThatBreaksOff(String how, int lines) throws Exception {
		String body = IntStream.range(0, lines).mapToObj((i) -> JOB + "\n").collect(Collectors.joining())
				+ "{\"title\":";
		String head = "POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n";
		String request = how.equals("length")
				? head + "Content-Length: %d\r\n\r\n%s".formatted(body.length() + 20, body)
				: head + "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\nZZ\r\n".formatted(body.length(), body);

		// without the sizes of its chunks
		String answer = answer(request).replaceAll("\r\n[0-9a-f]+\r\n", "");

		assertThat(answer).startsWith("HTTP/1.1 200");
		assertThat(answer.split("\"status\":202", -1)).hasSize(lines + 1);
		assertThat(answer)
			.contains("{\"line\":%d,\"status\":400,\"detail\":\"The body ends before".formatted(lines + 1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "Content-Length: 99\r\n\r\n{\"title\":\"a\"}",
			"Transfer-Encoding: chunked\r\n\r\n5\r\n{\"tit\r\nZZ\r\n" })
	void saysThatTheBodyOfAJobBreaksOff(String rest) throws Exception {
		assertThat(answer("POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + rest))
			.startsWith("HTTP/1.1 400")
			.contains("The body ends before its announced length, or has a broken chunk");
	}

	private String answer(String request) throws IOException {
		try (Socket socket = connect()) {
			write(socket, request);
			socket.shutdownOutput();
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
		}
	}

	@Test
	void letsAClientThatAsksSendItsBody() throws Exception {
		try (Socket socket = connect()) {
			write(socket, HEAD + "Expect: 100-continue\r\nContent-Length: 20\r\n\r\n");
			assertThat(readHead(socket.getInputStream())).startsWith("HTTP/1.1 100");
			write(socket, JOB);
			assertThat(readHead(socket.getInputStream())).startsWith("HTTP/1.1 202");
		}
		assertThat(records()).hasSize(1);
	}

	@Test
	void takesNoJobThatFollowsARefusalInsteadOfABody() throws Exception {
		List<String> answers = exchange(HEAD.replace("application/json", "text/plain")
				+ "Expect: 100-continue\r\nContent-Length: 20\r\n\r\n" + GOOD);

		assertThat(answers.getLast()).startsWith("HTTP/1.1 4");
		assertThat(answers).noneMatch((answer) -> answer.startsWith("HTTP/1.1 202"));
		assertThat(records()).isEmpty();
	}

	@Test
	void refusesEveryLineThatIsNoJob() throws Exception {
		ByteArrayOutputStream lines = new ByteArrayOutputStream();
		for (String line : Files.readAllLines(Path.of("../contract/examples/refused.tsv"))) {
			lines.writeBytes((line.split("\t", 2)[1] + "\n").getBytes(StandardCharsets.UTF_8));
		}

		String answer = exchange(request("application/x-ndjson", lines.toByteArray())).getFirst();

		String outcomes = answer.substring(answer.indexOf("\r\n\r\n") + 2).replaceAll("\r\n\\p{XDigit}+\r\n", "");
		assertThat(outcomes.lines().filter((line) -> line.startsWith("{")))
			.hasSize(lines.toString(StandardCharsets.UTF_8).split("\n").length)
			.allSatisfy((line) -> assertThat(line).contains("\"status\":400").doesNotContain("Exception", "jackson"));
		assertThat(records()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE" })
	void refusesOtherEncodings(String charset) throws Exception {
		assertRefused(400, request("application/json", JOB.getBytes(Charset.forName(charset))));
		assertRefused(400, request("application/json", ("\ufeff" + JOB).getBytes(Charset.forName(charset))));
	}

	@ParameterizedTest
	@MethodSource
	void refusesJobs(String job) throws Exception {
		assertRefused(400, job(job));
	}

	static Stream<String> refusesJobs() {
		return Stream.of("\ufeff" + JOB, "[".repeat(100_000), "{\"title\":\"a\",\"a\":" + "[".repeat(100_000),
				"{\"title\":\"a\",\"a\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}",
				"{\"a\":".repeat(40_000) + "1" + "}".repeat(40_000),
				"{\"title\":\"a\",\"a\":" + "[".repeat(62) + "{\"b\":1,\"b\":2}" + "]".repeat(62) + "}",
				"{\"title\":\"a\",\"" + "x".repeat(50_001) + "\":1}",
				"{\"title\":\"a\",\"n\":" + "1".repeat(200_000) + "}",
				"{\"title\":\"a\",\"n\":1e" + "9".repeat(200_000) + "}", "{\"title\":\"" + " ".repeat(200_000) + "\"}",
				("{\"" + "x".repeat(49_000) + "\":").repeat(5) + "{\"$a\":1,\"$b\":1}" + "}".repeat(5),
				"\"" + "x".repeat(200_000) + "\"", " ".repeat(LIMIT), "{\"title\":\"a\"}".repeat(10_000));
	}

	@ParameterizedTest
	@MethodSource
	void takesJobsOfAnyShape(String job) throws Exception {
		List<String> answers = exchange(job(job));

		assertThat(answers).singleElement().satisfies((answer) -> assertThat(answer).startsWith("HTTP/1.1 202"));
		assertThat(records()).singleElement()
			.satisfies((record) -> assertThat(record.value()).asString(StandardCharsets.UTF_8).isEqualTo(job));
	}

	static List<String> takesJobsOfAnyShape() {
		String fields = fields();
		return List.of(fields, fields + " ".repeat(LIMIT - fields.length()),
				"{\"title\":\"a\",\"a\":[0" + ",0".repeat(131_000) + "]}",
				"{\"title\":\"a\",\"a\":[[]" + ",[]".repeat(87_000) + "]}",
				"{\"title\":\"a\",\"" + "x".repeat(50_000) + "\":1}",
				"{\"title\":\"a\",\"a\":\"" + "\\u0000".repeat(43_000) + "\"}",
				"{\"title\":\"" + " ".repeat(200_000) + "a\"}", HostileJobs.withCollidingNames().getFirst());
	}

	@Test
	void refusesAMillionFields() throws Exception {
		StringBuilder job = new StringBuilder("{\"title\":\"a\"");
		for (int i = 0; i < 1_000_000; i++) {
			job.append(",\"").append(i).append("\":0");
		}

		assertRefused(413, job(job.append('}').toString()));
	}

	/**
	 * As many fields as fit, with names of their own.
	 */
	private static String fields() {
		StringBuilder job = new StringBuilder("{\"title\":\"a\"");
		for (int i = 0; job.length() < LIMIT - 12; i++) {
			job.append(",\"f").append(i).append("\":0");
		}
		return job.append('}').toString();
	}

	private void assertAccepted(String requests, int jobs) throws IOException {
		List<String> answers = exchange(requests);

		assertThat(answers).hasSize(jobs)
			.allSatisfy((answer) -> assertThat(answer).startsWith("HTTP/1.1 202").contains("application/json"));
		List<ConsumerRecord<String, byte[]>> records = records();
		assertThat(records).extracting(ConsumerRecord::key)
			.containsExactlyInAnyOrderElementsOf(
					answers.stream().map((answer) -> json(answer).get("id").asString()).toList());
		assertThat(records)
			.allSatisfy((record) -> assertThat(record.value()).asString(StandardCharsets.UTF_8).isEqualTo(JOB));
	}

	private void assertRefused(int status, String request) throws IOException {
		assertThat(exchange(request)).singleElement().satisfies((answer) -> {
			assertThat(answer).startsWith("HTTP/1.1 " + status).contains("Content-Type: application/problem+json");
			assertThat(json(answer).get("status").asInt()).isEqualTo(status);
			assertThat(answer).hasSizeLessThan(2000)
				.doesNotContain("Exception", "org.", "jobs.rest", "Tomcat", "\tat ");
		});
		assertThat(records()).isEmpty();
	}

	private static int status(String statusAndMore) {
		return Integer.parseInt(statusAndMore.substring(0, 3));
	}

	private static JsonNode json(String answer) {
		return new JsonMapper().readTree(answer.substring(answer.indexOf('{'), answer.lastIndexOf('}') + 1));
	}

	private static String job(String job) {
		return request("application/json", job.getBytes(StandardCharsets.UTF_8));
	}

	private static String request(String type, byte[] body) {
		return HEAD.replace("application/json", type) + "Content-Length: " + body.length + "\r\n\r\n"
				+ new String(body, StandardCharsets.ISO_8859_1);
	}

	/**
	 * Sends bytes, shuts the output, as some clients do, and reads until the server
	 * closes.
	 * @return the answers
	 */
	private List<String> exchange(String bytes) throws IOException {
		try (Socket socket = connect()) {
			ByteArrayOutputStream answers = new ByteArrayOutputStream();
			try {
				write(socket, bytes);
				socket.shutdownOutput();
			}
			catch (IOException ex) {
				// the server has answered and closed before the end of the request
			}
			try {
				socket.getInputStream().transferTo(answers);
			}
			catch (IOException ex) {
				// the same: the answer is what came before
			}
			return List.of(answers.toString(StandardCharsets.UTF_8).split("(?<!^)(?=HTTP/1\\.1 \\d{3} )"));
		}
	}

	private Socket connect() throws IOException {
		Socket socket = new Socket("127.0.0.1", this.port);
		socket.setSoTimeout(10_000);
		return socket;
	}

	private static void write(Socket socket, String bytes) throws IOException {
		socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
	}

	private static String readHead(InputStream in) throws IOException {
		StringBuilder head = new StringBuilder();
		while (head.indexOf("\r\n\r\n") < 0) {
			head.append((char) in.read());
		}
		return head.toString();
	}

	/**
	 * The records since the last call.
	 */
	private static List<ConsumerRecord<String, byte[]>> records() {
		Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
		List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
		while (ends.entrySet().stream().anyMatch((end) -> consumer.position(end.getKey()) < end.getValue())) {
			consumer.poll(Duration.ofMillis(100)).forEach(records::add);
		}
		return records;
	}

}
