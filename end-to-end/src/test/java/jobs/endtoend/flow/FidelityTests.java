package jobs.endtoend.flow;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import jobs.endtoend.pair.Pair;
import jobs.endtoend.pair.Postings;
import jobs.testkit.RandomJobs;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the first service accepts, the second stores as it is; what the first refuses, the
 * second refuses, too. Over jobs that chance makes: {@code -Dcases=100000} makes more of
 * them, {@code -Dseed=$RANDOM} others.
 */
@Tag("night")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FidelityTests {

	private static final Pair PAIR = new Pair();

	private static final String REFUSED = "refused-";

	private final long seed = RandomJobs.seed();

	@BeforeAll
	static void start() {
		PAIR.start();
	}

	@AfterAll
	static void stop() {
		PAIR.close();
	}

	@BeforeEach
	void clear() {
		awaitAnEmptyPipe();
		PAIR.documents().deleteMany(new BsonDocument());
	}

	@Test
	void storesWhateverJobChanceMakes() throws IOException {
		List<byte[]> jobs = new ArrayList<>();
		for (int i = 0; i < RandomJobs.cases(2000); i++) {
			jobs.add(new RandomJobs(this.seed + i).job().json().getBytes(StandardCharsets.UTF_8));
		}

		Map<String, Integer> accepted = accepted(jobs);

		assertThat(accepted).as(hint()).hasSize(jobs.size());
		assertStored(jobs, accepted);
	}

	@Test
	void agreesOnWhatIsAlmostAJob() throws IOException {
		List<byte[]> jobs = new ArrayList<>();
		for (int i = 0; i < RandomJobs.cases(3000); i++) {
			jobs.add(new RandomJobs(this.seed + i).almostAJob());
		}

		Map<String, Integer> accepted = accepted(jobs);

		assertThat(accepted.size()).as(hint()).isBetween(jobs.size() / 10, jobs.size() * 9 / 10);
		assertStored(jobs, accepted);
		List<Integer> refused = new ArrayList<>();
		for (int i = 0; i < jobs.size(); i++) {
			if (!accepted.containsValue(i)) {
				refused.add(i);
			}
		}
		assertDeadLetters(jobs, refused);
	}

	/**
	 * Uploads jobs.
	 * @return which were accepted, by id
	 */
	private Map<String, Integer> accepted(List<byte[]> jobs) throws IOException {
		Map<String, Integer> accepted = new HashMap<>();
		for (int from = 0; from < jobs.size(); from += 500) {
			ByteArrayOutputStream lines = new ByteArrayOutputStream();
			List<byte[]> some = jobs.subList(from, Math.min(from + 500, jobs.size()));
			for (byte[] job : some) {
				lines.writeBytes(job);
				lines.write('\n');
			}
			List<JsonNode> outcomes = PAIR.upload(lines.toByteArray()).body().lines().map(Postings::json).toList();
			assertThat(outcomes).as(hint()).hasSameSizeAs(some);
			for (int i = 0; i < some.size(); i++) {
				JsonNode outcome = outcomes.get(i);
				assertThat(outcome.get("line").asInt()).isEqualTo(i + 1);
				assertThat(outcome.get("status").asInt()).as(hint(jobs, from + i)).isIn(202, 400);
				if (outcome.get("status").asInt() == 202) {
					accepted.put(outcome.get("id").asString(), from + i);
				}
			}
		}
		return accepted;
	}

	/**
	 * What was accepted is stored as it is, and nothing else is, not even as a dead
	 * letter.
	 */
	private void assertStored(List<byte[]> jobs, Map<String, Integer> accepted) {
		awaitAnEmptyPipe();
		for (ConsumerRecord<byte[], byte[]> deadLetter : PAIR.deadLetters()) {
			Integer job = accepted.get(key(deadLetter));
			assertThat(job).as(() -> header(deadLetter, "dlt-detail") + ": " + hint(jobs, job)).isNull();
		}
		for (BsonDocument document : PAIR.documents().find()) {
			int job = Objects.requireNonNull(accepted.get(document.getString("_id").getValue()));
			assertThat(Postings.same(text(jobs, job), document)).as(hint(jobs, job)).isTrue();
		}
		assertThat(PAIR.documents().countDocuments()).as(hint()).isEqualTo(accepted.size());
	}

	/**
	 * What was refused becomes a dead letter for its data when another producer writes
	 * it.
	 */
	private void assertDeadLetters(List<byte[]> jobs, List<Integer> refused) {
		try (KafkaProducer<byte[], byte[]> producer = Pair.producer()) {
			refused.forEach((job) -> producer.send(
					new ProducerRecord<>(PAIR.topic, (REFUSED + job).getBytes(StandardCharsets.UTF_8), jobs.get(job))));
		}
		awaitAnEmptyPipe();
		assertThat(PAIR.documents().find().map((document) -> document.getString("_id").getValue()))
			.filteredOn((id) -> id.startsWith(REFUSED))
			.allSatisfy((id) -> assertThat(id).as(hint(jobs, number(id))).isNull());
		List<ConsumerRecord<byte[], byte[]>> deadLetters = PAIR.deadLetters();
		assertThat(deadLetters).as(hint()).hasSameSizeAs(refused);
		for (ConsumerRecord<byte[], byte[]> deadLetter : deadLetters) {
			int job = number(key(deadLetter));
			assertThat(Arrays.equals(deadLetter.value(), jobs.get(job))).as(hint(jobs, job)).isTrue();
			assertThat(header(deadLetter, "dlt-reason")).as(hint(jobs, job)).isIn("not-json", "contract");
			assertThat(header(deadLetter, "dlt-detail")).as(hint(jobs, job)).isNotEqualTo("The value can't be read");
		}
	}

	private static void awaitAnEmptyPipe() {
		Awaitility.await().atMost(120, TimeUnit.SECONDS).untilAsserted(() -> assertThat(PAIR.lag()).isZero());
	}

	private static String key(ConsumerRecord<byte[], byte[]> record) {
		return new String(record.key(), StandardCharsets.UTF_8);
	}

	private static int number(String key) {
		return Integer.parseInt(key.substring(REFUSED.length()));
	}

	private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
		return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
	}

	private static String text(List<byte[]> jobs, int job) {
		return new String(jobs.get(job), StandardCharsets.UTF_8);
	}

	private String hint() {
		return "-Dseed=" + this.seed;
	}

	private String hint(List<byte[]> jobs, int job) {
		return "-Dseed=%d, of which job %d is %s".formatted(this.seed, job, text(jobs, job).strip());
	}

}
