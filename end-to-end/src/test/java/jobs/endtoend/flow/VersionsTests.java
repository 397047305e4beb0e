package jobs.endtoend.flow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import jobs.endtoend.pair.Pair;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The highest version of each document stays, in whatever order versions come. */
@Tag("long")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VersionsTests {

	private static final int IDS = 500;

	/** Versions that are sent of each document; the fifth is sent as a deletion, too. */
	private static final int VERSIONS = 10;

	/** Every so many documents are deleted with a version above all others. */
	private static final int DELETED = 10;

	@TempDir
	private static Path folder;

	private static Pair pair;

	@BeforeAll
	static void start() throws IOException {
		pair = new Pair(VersionedJobs.in(folder)).start();
	}

	@AfterAll
	static void stop() {
		pair.close();
	}

	@Test
	void keepsTheHighestVersionThroughKillsAndReplays() throws Exception {
		List<String> lines = new ArrayList<>();
		IntStream.range(0, IDS)
			.forEach((id) -> IntStream.rangeClosed(1, VERSIONS).forEach((version) -> lines.add(line(id, version))));
		Collections.shuffle(lines, new Random(38));
		Watcher watcher = new Watcher();
		CompletableFuture<Void> watching = CompletableFuture.runAsync(watcher, Thread::startVirtualThread);

		upload(lines.subList(0, 1000));
		delete(0, VERSIONS + 1);
		pair.kafkaToMongo.kill();
		upload(lines.subList(1000, 2500));
		pair.kafkaToMongo.start();
		upload(lines.subList(2500, 4000));
		Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> pair.documents().countDocuments() > IDS / 2);
		pair.kafkaToMongo.kill();
		for (int id = DELETED; id < IDS; id += DELETED) {
			delete(id, VERSIONS + 1);
			delete(id + 1, VERSIONS / 2);
		}
		pair.kafkaToMongo.start();
		upload(lines.subList(4000, lines.size()));
		awaitStored();
		Map<String, Long> stored = versions();
		replay();

		assertThat(stored).hasSize(IDS)
			.allSatisfy((id, version) -> assertThat(version)
				.isEqualTo((Integer.parseInt(id) % DELETED == 0) ? VERSIONS + 1L : VERSIONS));
		assertThat(versions()).isEqualTo(stored);
		watcher.isOver = true;
		watching.get(30, TimeUnit.SECONDS);
		assertThat(pair.deadLetters()).noneSatisfy((one) -> assertThat(id(one)).isLessThan(IDS));
		assertThat(pair.get(document("0")).statusCode()).isEqualTo(410);
		HttpResponse<String> newest = pair.get(document("1"));
		assertThat(newest.body()).contains("\"revision\": " + VERSIONS);
		assertThat(newest.headers().firstValue("ETag")).hasValue("\"" + VERSIONS + "\"");
		assertThat(newest.headers().firstValue("Last-Modified")).isPresent();
		assertThat(pair.get(document("1"), "If-None-Match", "\"" + VERSIONS + "\"").statusCode()).isEqualTo(304);
	}

	/** Nobody has to know what came after the backup. */
	@Test
	void hasTheStateOfTodayAfterARestoreOfYesterday() throws Exception {
		upload(List.of(line(8000, 1), line(8001, 4), line(8002, 1)));
		awaitStored();
		List<BsonDocument> backup = pair.documents().find().into(new ArrayList<>());
		upload(List.of(line(8000, 2), line(8003, 1)));
		delete(8002, 2);
		awaitStored();
		List<BsonDocument> today = withoutTimes();

		pair.kafkaToMongo.close();
		pair.documents().drop();
		pair.documents().insertMany(backup);
		pair.replay();
		pair.kafkaToMongo.start();
		awaitStored();

		assertThat(withoutTimes()).containsExactlyInAnyOrderElementsOf(today);
	}

	private static List<BsonDocument> withoutTimes() {
		List<BsonDocument> documents = pair.documents().find().into(new ArrayList<>());
		documents.forEach((one) -> List.of("storedAt", "deletedAt").forEach(one.getDocument("_meta")::remove));
		return documents;
	}

	@Test
	void tellsWhichVersionStands() throws Exception {
		upload(List.of(line(7000, 3), line(7000, 2)));

		HttpResponse<String> superseded = pair.get(document("7000?version=2"), "Prefer", "wait=20");
		HttpResponse<String> standing = pair.get(document("7000?version=3"));
		HttpResponse<String> missing = pair.get(document("7000?version=4"), "Prefer", "wait=1");

		assertThat(superseded.statusCode()).isEqualTo(200);
		assertThat(superseded.headers().firstValue("Superseded-By")).hasValue("3");
		assertThat(standing.headers().firstValue("Superseded-By")).isEmpty();
		assertThat(missing.statusCode()).isEqualTo(404);
		assertThat(missing.body()).contains("Version 4 of this job is not stored");
		upload(List.of(line(7000, 3).replace("v3", "other")));
		awaitStored();
		assertThat(pair.get(document("7000?version=4"), "Prefer", "wait=1").body())
			.contains("a dead letter has this id, which may be another version");
		CompletableFuture<HttpResponse<String>> waiting = CompletableFuture.supplyAsync(() -> {
			try {
				return pair.get(document("7000?version=9"), "Prefer", "wait=20");
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}, Thread::startVirtualThread);
		upload(List.of(line(7000, 9)));
		assertThat(waiting.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
		assertThat(pair.get(document("7000?version=x")).statusCode()).isEqualTo(400);
	}

	private static int id(ConsumerRecord<byte[], byte[]> deadLetter) {
		return Integer.parseInt(new String(deadLetter.key(), StandardCharsets.UTF_8));
	}

	private static URI document(String id) {
		return URI.create("http://127.0.0.1:%d/jobs/%s".formatted(pair.readPort, id));
	}

	private static String line(int id, int version) {
		return "{\"orderNumber\":\"%d\",\"revision\":%d,\"state\":\"v%d\"}".formatted(id, version, version);
	}

	private static void upload(List<String> lines) throws IOException {
		HttpResponse<String> answer = pair.upload((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));

		assertThat(answer.body().lines()).hasSize(lines.size()).allMatch((line) -> line.contains("\"status\":202"));
	}

	private static void delete(int id, int version) throws IOException {
		URI address = URI.create("http://127.0.0.1:%d/jobs/%d?version=%d".formatted(pair.port, id, version));

		assertThat(pair.delete(address).statusCode()).isEqualTo(202);
	}

	private static void replay() throws Exception {
		pair.kafkaToMongo.close();
		pair.replay();
		pair.kafkaToMongo.start();
		awaitStored();
	}

	private static void awaitStored() {
		pair.awaitReady(pair.kafkaToMongo);
		Awaitility.await().atMost(90, TimeUnit.SECONDS).untilAsserted(() -> assertThat(pair.lag()).isZero());
	}

	private static Map<String, Long> versions() {
		Map<String, Long> versions = new HashMap<>();
		for (BsonDocument stored : pair.documents().find()) {
			String id = stored.getString("_id").getValue();
			if (Integer.parseInt(id) < IDS) {
				versions.put(id, stored.getDocument("_meta").getInt64("version").getValue());
			}
		}
		return versions;
	}

	/** Reads all the time, and fails where a version is lower than before. */
	private static final class Watcher implements Runnable {

		private final Map<String, Long> seen = new HashMap<>();

		private volatile boolean isOver;

		@Override
		public void run() {
			while (!this.isOver) {
				versions().forEach(
						(id, version) -> assertThat(this.seen.merge(id, version, Math::max)).as("version of %s", id)
							.isEqualTo(version));
			}
		}

	}

}
