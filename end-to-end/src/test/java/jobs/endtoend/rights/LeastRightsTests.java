package jobs.endtoend.rights;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;

import jobs.endtoend.pair.Pair;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Readiness;
import jobs.testkit.Authority;
import jobs.testkit.Backends;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pair with the rights that {@code deploy/} gives, and TLS. All goes with them, and
 * each that is taken away is missed. Where there is no {@code mongod}, MongoDB's half is
 * left out.
 */
@Tag("long")
@Tag("mongod")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeastRightsTests {

	private static final String JOB = "{\"title\":\"Engineer\",\"description\":\"Builds it\",\"company\":\"Acme\"}";

	private static final String TOPIC = "jobs-topic1";

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private static final HttpClient CLIENT = HttpClient.newHttpClient();

	private static final Readiness READINESS = new Readiness();

	private static final int WRITE_PORT = Ports.free();

	private static final int READ_PORT = Ports.free();

	private static Path folder;

	/**
	 * Of the certificates alone: they are read again once nothing changes beside them.
	 */
	private static Path tls;

	/** Who has issued the certificates that are valid now. */
	private static Authority authority = new Authority("first");

	private static LockedKafka kafka;

	/** None where there is no {@code mongod}. */
	private static LockedMongo mongo;

	private static Child restToKafka;

	private static Child kafkaToMongo;

	@BeforeAll
	static void start() throws Exception {
		folder = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "rights").toAbsolutePath();
		tls = Files.createDirectories(folder.resolve("tls"));
		authority.issue(tls, "server");
		authority.trust(tls.resolve("trust.crt"));
		kafka = new LockedKafka(folder);
		mongo = MongoLock.isPossible() ? new LockedMongo(folder) : null;
		restToKafka = service("rest-to-kafka", WRITE_PORT, Map.of()).start();
		kafkaToMongo = service("kafka-to-mongo", READ_PORT,
				(mongo != null) ? mongo.settings() : Map.of("SPRING_MONGODB_URI", Backends.get().mongo("rights")))
			.start();
		kafka.giveRights();
		await(() -> get(WRITE_PORT, "/actuator/health/readiness").body().contains("Kafka answers: "));
		await(() -> get(READ_PORT, "/actuator/health/readiness").body().contains("Kafka answers: "));
		assertThat(restToKafka.log()).content().doesNotContain("large records");
		kafka.giveRights("--create-topics");
		awaitReady();
	}

	private static Child service(String name, int port, Map<String, String> more) {
		Map<String, String> settings = new HashMap<>(kafka.settings(name));
		settings.putAll(more);
		settings.put("SERVER_PORT", Integer.toString(port));
		return Pair.service(name, name, folder, settings);
	}

	@AfterAll
	static void stop() {
		for (AutoCloseable one : new AutoCloseable[] { restToKafka, kafkaToMongo, kafka, mongo }) {
			try {
				if (one != null) {
					one.close();
				}
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

	@Test
	void storesReplaysAndDiscards() throws Exception {
		assertThat(stores()).isTrue();

		String id = deadLetter();
		assertThat(send("POST", READ_PORT, "/dead-letters/%s/replay".formatted(id), JOB).statusCode()).isEqualTo(202);
		assertThat(send("DELETE", READ_PORT, "/dead-letters/" + deadLetter(), "").statusCode()).isEqualTo(204);
		await(() -> get(READ_PORT, "/actuator/prometheus").body()
			.lines()
			.anyMatch((line) -> line.startsWith("jobs_topic_retention_seconds") && !line.endsWith("NaN")));
		await(() -> warning(WRITE_PORT, "topic-unread").equals("0.0"));
		await(() -> warning(WRITE_PORT, "settings-" + TOPIC).equals("0.0"));
		await(() -> warning(READ_PORT, "settings-" + TOPIC + "-dlt").equals("0.0"));
		await(() -> warning(READ_PORT, "stored-offsets").equals("0.0"));
	}

	@ParameterizedTest
	@CsvSource({ "rest-to-kafka, WRITE, jobs-topic1", "kafka-to-mongo, READ, jobs-topic1",
			"kafka-to-mongo, WRITE, jobs-topic1", "kafka-to-mongo, READ, jobs-topic1-dlt",
			"kafka-to-mongo, WRITE, jobs-topic1-dlt", "kafka-to-mongo, READ, group-id-1",
			"kafka-to-mongo, READ, group-id-1-dead-letters", "kafka-to-mongo, READ, group-id-1-stored",
			"kafka-to-mongo, DESCRIBE_CONFIGS, jobs-topic1", "kafka-to-mongo, DESCRIBE_CONFIGS, jobs-topic1-dlt",
			"rest-to-kafka, DESCRIBE_CONFIGS, jobs-topic1", "rest-to-kafka, DESCRIBE, group-id-1" })
	void missesEachRightAtKafka(String user, AclOperation operation, String name) throws Exception {
		AclBinding right = kafka.rights()
			.stream()
			.filter((one) -> one.entry().principal().equals("User:" + user) && one.entry().operation() == operation
					&& one.pattern().name().equals(name))
			.findFirst()
			.orElseThrow();
		String deadLetter = deadLetter();

		kafka.take(right);
		try {
			if (operation == AclOperation.WRITE && user.equals("rest-to-kafka")) {
				await(() -> send("POST", WRITE_PORT, "/jobs", JOB).statusCode() == 503);
			}
			else if (user.equals("rest-to-kafka")) {
				restart(restToKafka, WRITE_PORT);
				await(() -> warning(WRITE_PORT,
						(operation == AclOperation.DESCRIBE) ? "topic-unread" : "settings-" + name)
					.equals("NaN"));
			}
			else if (name.endsWith("-stored")) {
				assertThat(stores()).isTrue();
				await(() -> warning(READ_PORT, "stored-offsets").equals("1.0"));
			}
			else if (operation == AclOperation.READ) {
				await(() -> get(READ_PORT, "/actuator/health/readiness").statusCode() == 503);
			}
			else if (operation == AclOperation.DESCRIBE_CONFIGS) {
				restart(kafkaToMongo, READ_PORT);
				await(() -> warning(READ_PORT, "settings-" + name).equals("NaN"));
				assertThat(get(READ_PORT, "/actuator/prometheus").body().contains("jobs_topic_retention_seconds NaN"))
					.isEqualTo(name.equals(TOPIC));
			}
			else if (name.equals(TOPIC)) {
				await(() -> send("POST", READ_PORT, "/dead-letters/%s/replay".formatted(deadLetter), JOB)
					.statusCode() == 503);
			}
			else {
				kafka.sendStray(TOPIC);
				awaitBackOff();
			}
		}
		finally {
			kafka.giveBack(right);
		}
		awaitReady();
		await(LeastRightsTests::stores);
	}

	/** Whatever else the script gives would be too much. */
	@Test
	void hasNoOtherRight() throws Exception {
		assertThat(kafka.rights().stream().filter((right) -> right.entry().operation() != AclOperation.CREATE))
			.hasSize(12);
	}

	@ParameterizedTest
	@ValueSource(strings = { "find", "insert", "update", "createIndex" })
	void missesEachActionInMongo(String action) throws Exception {
		Assumptions.assumeTrue(mongo != null, "There is no mongod, or no mongosh, on the PATH");
		String deadLetter = deadLetter();

		mongo.take(action, authority);
		try {
			switch (action) {
				case "find" -> await(() -> get(READ_PORT, "/jobs").statusCode() == 503);
				case "insert" -> {
					assertThat(send("POST", WRITE_PORT, "/jobs", JOB).statusCode()).isEqualTo(202);
					awaitBackOff();
				}
				case "update" -> {
					await(() -> send("DELETE", READ_PORT, "/dead-letters/" + deadLetter, "").statusCode() == 503);
					assertThat(send("DELETE", READ_PORT, "/jobs/nobody", "").body()).contains("lacks a right");
				}
				default -> {
					int before = Files.readString(kafkaToMongo.log()).length();
					restart(kafkaToMongo, READ_PORT);
					await(() -> Files.readString(kafkaToMongo.log())
						.substring(before)
						.contains("The indexes of db.jobs can't be created"));
				}
			}
		}
		finally {
			mongo.giveBack(authority);
		}
		awaitReady();
		await(LeastRightsTests::stores);
	}

	/** Kafka and MongoDB come again with a certificate of another authority. */
	@Test
	void goesOnWithOtherCertificates() throws Exception {
		Authority next = new Authority("next");
		next.trust(tls.resolve("trust.crt"));
		kafka.restart(next);
		if (mongo != null) {
			mongo.restart(next);
		}
		authority = next;

		awaitReady();
		await(LeastRightsTests::stores);
		assertThat(restToKafka.isAlive() && kafkaToMongo.isAlive()).isTrue();
	}

	private static void restart(Child service, int port) {
		service.close();
		service.start();
		service.awaitReady(() -> READINESS.isAt(port), LIMIT);
	}

	/** Whether a service warns: 1.0 or 0.0, NaN while it does not know. */
	private static String warning(int port, String about) throws Exception {
		String name = "jobs_warning{about=\"%s\"} ".formatted(about);
		return get(port, "/actuator/prometheus").body()
			.lines()
			.filter((line) -> line.startsWith(name))
			.map((line) -> line.substring(name.length()))
			.findFirst()
			.orElse("");
	}

	private static void awaitBackOff() {
		await(() -> get(READ_PORT, "/actuator/prometheus").body()
			.lines()
			.anyMatch((line) -> line.startsWith("jobs_back_off_seconds") && !line.endsWith(" 0.0")));
	}

	private static void awaitReady() {
		await(() -> READINESS.isAt(WRITE_PORT) && READINESS.isAt(READ_PORT));
	}

	/** Whether a job that is posted now is stored. */
	private static boolean stores() throws IOException {
		HttpResponse<String> accepted = send("POST", WRITE_PORT, "/jobs", JOB);
		if (accepted.statusCode() != 202) {
			return false;
		}
		String path = URI.create(accepted.headers().firstValue("Location").orElseThrow()).getPath();
		HttpRequest read = HttpRequest.newBuilder(address(READ_PORT, path)).header("Prefer", "wait=20").build();
		return send(read).statusCode() == 200;
	}

	/** The id of a new dead letter, which is open. */
	private static String deadLetter() throws Exception {
		String before = get(READ_PORT, "/dead-letters?state=open&limit=1").body();
		kafka.sendStray(TOPIC);
		await(() -> !get(READ_PORT, "/dead-letters?state=open&limit=1").body().equals(before));
		String newest = get(READ_PORT, "/dead-letters?state=open&limit=1").body();
		return newest.replaceFirst("(?s).*?\"id\": ?\"([^\"]*)\".*", "$1").replace("#", "%23");
	}

	private static HttpResponse<String> get(int port, String path) throws IOException {
		return send("GET", port, path, "");
	}

	private static HttpResponse<String> send(String method, int port, String path, String body) throws IOException {
		return send(HttpRequest.newBuilder(address(port, path))
			.header("Content-Type", "application/json")
			.method(method, BodyPublishers.ofString(body))
			.build());
	}

	private static URI address(int port, String path) {
		return URI.create("http://127.0.0.1:%d%s".formatted(port, path));
	}

	private static HttpResponse<String> send(HttpRequest request) throws IOException {
		try {
			return CLIENT.send(request, BodyHandlers.ofString());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await()
			.atMost(LIMIT)
			.pollInterval(Duration.ofMillis(200))
			.ignoreExceptionsInstanceOf(IOException.class)
			.until(condition);
	}

}
