package jobs.endtoend.flow;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import jobs.endtoend.pair.Client;
import jobs.endtoend.pair.Pair;
import jobs.endtoend.pair.Postings;
import jobs.localstack.Child;
import jobs.testkit.Backends;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What was accepted is stored once, whoever is killed in the middle of an upload.
 */
@Tag("long")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KillTests {

	private static final Pair PAIR = new Pair();

	@BeforeAll
	static void start() {
		PAIR.start();
	}

	@AfterAll
	static void stop() {
		PAIR.close();
	}

	@ParameterizedTest(name = "{0}", autoCloseArguments = false)
	@MethodSource("victims")
	void storesEveryAcceptedLineOnce(String name, Child victim) throws Exception {
		List<String> lines = lines();
		String key = UUID.randomUUID().toString();
		await(() -> assertThat(PAIR.lag()).isZero());
		long before = PAIR.documents().countDocuments();
		Upload upload = new Upload(key);

		upload.send(lines.subList(0, 1000));
		Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> upload.accepted().size() > 500);
		victim.kill();
		upload.send(lines.subList(1000, 2000));
		victim.start();
		upload.send(lines.subList(2000, lines.size()));
		upload.finish();

		awaitKafka();
		PAIR.awaitReady(PAIR.restToKafka);
		PAIR.awaitReady(PAIR.kafkaToMongo);
		assertThat(upload.accepted()).hasSizeGreaterThan(500);
		await(() -> assertThat(ids()).containsAll(upload.accepted()));

		List<JsonNode> again = PAIR.upload(Postings.ndjson(lines), "Idempotency-Key", key)
			.body()
			.lines()
			.map(Postings::json)
			.toList();

		assertThat(again).hasSize(lines.size())
			.allSatisfy((outcome) -> assertThat(outcome.get("status").asInt()).isEqualTo(202));
		Set<String> expected = new HashSet<>();
		again.forEach((outcome) -> expected.add(outcome.get("id").asString()));
		await(() -> assertThat(PAIR.lag()).isZero());
		assertThat(documentsOf(expected)).hasSize(lines.size());
		assertThat(PAIR.documents().countDocuments() - before).isEqualTo(lines.size());
		assertThat(expected).containsAll(upload.accepted());
		assertThat(PAIR.deadLetters()).isEmpty();
	}

	static Stream<Arguments> victims() {
		List<Arguments> victims = new ArrayList<>(List.of(Arguments.of("rest-to-kafka", PAIR.restToKafka),
				Arguments.of("kafka-to-mongo", PAIR.kafkaToMongo)));
		Backends.get().broker().ifPresent((broker) -> victims.add(Arguments.of("Kafka", broker)));
		Backends.get().database().ifPresent((database) -> victims.add(Arguments.of("MongoDB", database)));
		return victims.stream();
	}

	@Test
	void answersWhatItHasReadWhenItIsStopped() throws Exception {
		Upload upload = new Upload(UUID.randomUUID().toString());
		upload.send(lines().subList(0, 100));
		Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> upload.accepted().size() == 100);

		CompletableFuture<Void> stopped = CompletableFuture.runAsync(PAIR.restToKafka::close,
				Thread::startVirtualThread);
		upload.trickle(lines().getFirst());

		stopped.get(30, TimeUnit.SECONDS);
		JsonNode last = upload.outcomes().getLast();
		assertThat(last.get("status").asInt()).isEqualTo(503);
		assertThat(last.get("detail").asString()).startsWith("Stopping");
		assertThat(upload.endedWell()).isTrue();
		assertThat(upload.outcomes()).extracting((outcome) -> outcome.get("line").asInt())
			.isSorted()
			.hasSize(last.get("line").asInt());
		PAIR.restToKafka.start();
		PAIR.awaitReady(PAIR.restToKafka);
	}

	@Test
	void commitsTheBatchInHandWhenItIsStopped() throws Exception {
		long before = PAIR.documents().countDocuments();
		PAIR.upload(Postings.ndjson(lines()));
		Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> PAIR.documents().countDocuments() > before);
		PAIR.kafkaToMongo.close();

		Map<TopicPartition, OffsetAndMetadata> committed = PAIR.committed();

		for (BsonDocument document : PAIR.documents().find()) {
			BsonDocument meta = document.getDocument("_meta");
			OffsetAndMetadata offset = committed
				.get(new TopicPartition(PAIR.topic, meta.getInt32("partition").getValue()));
			assertThat(offset).isNotNull();
			assertThat(offset.offset()).isGreaterThan(meta.getInt64("offset").getValue());
		}
		PAIR.kafkaToMongo.start();
		PAIR.awaitReady(PAIR.kafkaToMongo);
	}

	private static List<String> lines() {
		List<String> lines = new ArrayList<>();
		for (int i = 0; i < 15; i++) {
			lines.addAll(Postings.lines());
		}
		return lines;
	}

	private static Set<String> ids() {
		return PAIR.documents().find().map((document) -> document.getString("_id").getValue()).into(new HashSet<>());
	}

	private static Set<String> documentsOf(Set<String> expected) {
		Set<String> stored = ids();
		stored.retainAll(expected);
		return stored;
	}

	/**
	 * Waits for a broker that has been started anew, longer than an upload does.
	 */
	private static void awaitKafka() {
		Awaitility.await().atMost(90, TimeUnit.SECONDS).ignoreExceptions().until(() -> PAIR.lag() >= 0);
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(90, TimeUnit.SECONDS).untilAsserted(assertion);
	}

	/**
	 * An upload whose lines are sent bit by bit while its outcomes come back (which the
	 * JDK's client can't do), and that may break off.
	 */
	private static final class Upload {

		private final List<JsonNode> outcomes = Collections.synchronizedList(new ArrayList<>());

		private final Socket socket = new Socket("127.0.0.1", PAIR.port);

		private final CompletableFuture<Boolean> end = CompletableFuture.supplyAsync(this::read,
				Thread::startVirtualThread);

		Upload(String key) throws IOException {
			this.socket.setSoTimeout(60_000);
			write("POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nIdempotency-Key: "
					+ key + "\r\nTransfer-Encoding: chunked\r\n\r\n");
		}

		/**
		 * Sends lines as long as the connection takes them.
		 */
		void send(List<String> lines) {
			try {
				for (String line : lines) {
					byte[] chunk = (line + "\n").getBytes(StandardCharsets.UTF_8);
					write(Integer.toHexString(chunk.length) + "\r\n" + line + "\n\r\n");
				}
			}
			catch (IOException ex) {
				// the connection broke off: what was answered by then counts
			}
		}

		private void write(String text) throws IOException {
			this.socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
		}

		/**
		 * Reads outcomes until the answer ends.
		 * @return whether it ended as HTTP wants it
		 */
		private boolean read() {
			try {
				InputStream in = this.socket.getInputStream();
				while (!Client.line(in).isEmpty()) {
					// the head
				}
				Client.readLines(in, (line) -> this.outcomes.add(Postings.json(line)));
				return true;
			}
			catch (IOException ex) {
				return false;
			}
		}

		void trickle(String line) {
			Awaitility.await().atMost(30, TimeUnit.SECONDS).pollInterval(Duration.ofMillis(50)).until(() -> {
				send(List.of(line));
				return this.end.isDone();
			});
		}

		void finish() throws Exception {
			try {
				write("0\r\n\r\n");
			}
			catch (IOException ex) {
				// it broke off before
			}
			this.end.get(90, TimeUnit.SECONDS);
			this.socket.close();
		}

		boolean endedWell() throws Exception {
			return this.end.get(30, TimeUnit.SECONDS);
		}

		List<JsonNode> outcomes() {
			synchronized (this.outcomes) {
				return List.copyOf(this.outcomes);
			}
		}

		Set<String> accepted() {
			Set<String> ids = new HashSet<>();
			for (JsonNode outcome : outcomes()) {
				if (outcome.get("status").asInt() == 202) {
					ids.add(outcome.get("id").asString());
				}
			}
			return ids;
		}

	}

}
