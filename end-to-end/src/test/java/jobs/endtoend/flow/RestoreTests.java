package jobs.endtoend.flow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import jobs.endtoend.judge.Oracle;
import jobs.endtoend.load.Driver;
import jobs.endtoend.load.History;
import jobs.endtoend.load.Strays;
import jobs.endtoend.load.Workload;
import jobs.endtoend.pair.Access;
import jobs.endtoend.pair.Evidence;
import jobs.endtoend.pair.Pair;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import jobs.localstack.Readiness;
import jobs.testkit.Backends;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * MongoDB is set back to a backup, and Kafka is not. With its groups set back in time,
 * too, each job is there once.
 */
@Tag("night")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RestoreTests {

	private static final int JOBS = 6000;

	/** Jobs that are in Kafka alone when the backup is made. */
	private static final int WAITING = 500;

	private static final Duration START_LIMIT = Duration.ofSeconds(60);

	private final String topic = "jobs-" + UUID.randomUUID();

	private final Readiness readiness = new Readiness();

	@TempDir
	private Path folder;

	@Test
	void hasEachJobOnceAfterARestore() throws Exception {
		int mongoPort = Ports.free();
		int port = Ports.free();
		int readPort = Ports.free();
		Child mongo = Programs.mongo(this.folder.resolve("mongo"), mongoPort, this.folder.resolve("mongo.log"));
		Map<String, String> settings = new HashMap<>(
				Pair.settings(this.topic, "mongodb://127.0.0.1:%d/db".formatted(mongoPort)));
		settings.put("SERVER_ADDRESS", "127.0.0.1");
		Child restToKafka = Pair.service("rest-to-kafka", this.folder, port, settings);
		Child kafkaToMongo = Pair.service("kafka-to-mongo", this.folder, readPort, settings);
		Workload workload = new Workload(21);
		History history = new History(2 * JOBS);
		try (mongo; restToKafka; kafkaToMongo; Strays strays = new Strays(Backends.get().kafka(), this.topic)) {
			start(mongo, mongoPort);
			start(restToKafka, port);
			start(kafkaToMongo, readPort);
			Driver driver = new Driver(workload, history, List.of(port), Access.OPEN);
			strays.send(20);
			driver.run(JOBS, JOBS);
			awaitDone(mongoPort);
			kafkaToMongo.close();
			Instant oldest = Instant.now();
			driver.run(JOBS + WAITING, JOBS);
			backUp(mongo, mongoPort);
			start(kafkaToMongo, readPort);
			strays.send(20);
			driver.run(2 * JOBS, JOBS);
			driver.finish(2 * JOBS);
			strays.acknowledged();
			awaitDone(mongoPort);
			long before = ask(mongoPort, (evidence) -> evidence.documents().countDocuments());

			kafkaToMongo.close();
			restore(mongo, mongoPort);
			long restored = ask(mongoPort, (evidence) -> evidence.documents().countDocuments());
			setBack(this.topic + "-dead-letters", "--to-earliest");
			setBack(this.topic, "--to-datetime",
					DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS").withZone(ZoneOffset.UTC).format(oldest)
							+ "Z");
			start(kafkaToMongo, readPort);
			awaitDone(mongoPort);
			Oracle.Verdict verdict = ask(mongoPort, (evidence) -> Oracle.judge(workload, history, strays, evidence));

			System.out.printf("%d jobs, %d documents, %d in the backup: %s%n", 2 * JOBS, before, restored, verdict);
			assertThat(restored).isLessThan(before);
			assertThat(verdict.testimony()).isEmpty();
		}
	}

	private void start(Child child, int port) {
		boolean isService = child.name().contains("-to-");
		child.start().awaitReady(() -> isService ? this.readiness.isAt(port) : Ports.isListening(port), START_LIMIT);
	}

	private void backUp(Child mongo, int port) throws IOException {
		mongo.close();
		copy("mongo", "backup");
		start(mongo, port);
	}

	private void restore(Child mongo, int port) throws IOException {
		mongo.close();
		Files.move(this.folder.resolve("mongo"), this.folder.resolve("lost"));
		copy("backup", "mongo");
		start(mongo, port);
	}

	private void copy(String from, String to) throws IOException {
		Path source = this.folder.resolve(from);
		try (Stream<Path> files = Files.walk(source)) {
			for (Path file : files.toList()) {
				Files.copy(file, this.folder.resolve(to).resolve(source.relativize(file)));
			}
		}
	}

	/** The command of docs/repair.md. */
	private void setBack(String group, String... where) throws IOException, InterruptedException {
		Path log = this.folder.resolve("groups.log");
		ProcessBuilder command = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx64m", "-cp", System.getProperty("java.class.path"),
				"org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", "--bootstrap-server",
				Backends.get().kafka(), "--group", group, "--all-topics", "--reset-offsets", "--execute");
		command.command().addAll(List.of(where));
		Process process = command.redirectErrorStream(true).redirectOutput(log.toFile()).start();
		assertThat(process.waitFor()).as("%s", Files.readString(log)).isZero();
		assertThat(log).content().contains(this.topic);
	}

	private void awaitDone(int mongoPort) throws Exception {
		ask(mongoPort,
				(evidence) -> Awaitility.await().atMost(3, TimeUnit.MINUTES).until(evidence::lag, (lag) -> lag == 0));
	}

	private <T> T ask(int mongoPort, Question<T> question) throws Exception {
		try (MongoClient client = MongoClients.create("mongodb://127.0.0.1:%d/db".formatted(mongoPort))) {
			return question.ask(Evidence.of(this.topic, client.getDatabase("db")));
		}
	}

	/** Asks the evidence. */
	private interface Question<T> {

		T ask(Evidence evidence) throws Exception;

	}

}
