package jobs.endtoend.flow;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import jobs.endtoend.pair.Evidence;
import jobs.endtoend.pair.Pair;
import jobs.endtoend.pair.Postings;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import jobs.localstack.Readiness;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A power cut may take from a single broker the last records that it acknowledged. It
 * takes no job that was accepted later.
 */
@Tag("long")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PowerCutTests {

	private static final int JOBS = 50;

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private final Readiness readiness = new Readiness();

	@TempDir(cleanup = CleanupMode.ON_SUCCESS)
	private Path folder;

	/**
	 * As many new records as the broker has lost hide the loss from whoever looks at
	 * offsets alone.
	 */
	@Test
	void storesWhatIsAcceptedAfterABrokerHasLostItsLastRecords() throws Exception {
		int kafkaPort = Ports.free();
		int mongoPort = Ports.free();
		int door = Ports.free();
		int sink = Ports.free();
		Map<String, String> settings = Map.of("SPRING_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:" + kafkaPort,
				"SPRING_MONGODB_URI", "mongodb://127.0.0.1:%d/db".formatted(mongoPort), "REST_TO_KAFKA_PARTITIONS", "1",
				"KAFKA_TO_MONGO_PARTITIONS", "1", "SERVER_ADDRESS", "127.0.0.1");
		try (Child kafka = Programs.kafka(this.folder.resolve("kafka"), kafkaPort, this.folder.resolve("kafka.log"));
				Child mongo = Programs.mongo(this.folder.resolve("mongo"), mongoPort, this.folder.resolve("mongo.log"));
				Child restToKafka = Pair.service("rest-to-kafka", this.folder, door, settings);
				Child kafkaToMongo = Pair.service("kafka-to-mongo", this.folder, sink, settings);
				MongoClient client = MongoClients.create("mongodb://127.0.0.1:" + mongoPort)) {
			MongoCollection<BsonDocument> jobs = client.getDatabase("db").getCollection("jobs", BsonDocument.class);
			kafka.start();
			mongo.start();
			kafka.awaitReady(() -> Ports.isListening(kafkaPort), LIMIT);
			restToKafka.start();
			kafkaToMongo.start();
			restToKafka.awaitReady(() -> this.readiness.isAt(door), LIMIT);
			kafkaToMongo.awaitReady(() -> this.readiness.isAt(sink), LIMIT);
			post(door);
			Evidence evidence = new Evidence("127.0.0.1:" + kafkaPort, "jobs-topic1", "jobs-topic1-dlt", "group-id-1",
					jobs, jobs);
			Awaitility.await().atMost(LIMIT).ignoreExceptions().until(() -> evidence.lag() == 0);
			kafkaToMongo.kill();
			kafka.kill();
			loseTheLastRecords();
			kafka.start();
			kafka.awaitReady(() -> Ports.isListening(kafkaPort), LIMIT);

			Set<String> accepted = post(door);
			kafkaToMongo.start();

			Awaitility.await()
				.atMost(LIMIT)
				.ignoreExceptions()
				.untilAsserted(() -> assertThat(jobs.distinct("_id", String.class)).containsAll(accepted));
			assertThat(kafkaToMongo.log()).content()
				.contains("A partition ends before what was read; it is read from its beginning");
		}
	}

	/** What the operating system had not written yet when the power went. */
	private void loseTheLastRecords() throws IOException {
		Path segment = this.folder.resolve("kafka/log/jobs-topic1-0/00000000000000000000.log");
		try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
			file.truncate(Files.size(segment) / 2);
		}
	}

	private static Set<String> post(int port) throws Exception {
		HttpRequest job = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/jobs".formatted(port)))
			.header("Content-Type", "application/json")
			.timeout(LIMIT)
			.POST(HttpRequest.BodyPublishers.ofString("{\"title\":\"x\"}"))
			.build();
		Set<String> accepted = new HashSet<>();
		try (HttpClient client = HttpClient.newHttpClient()) {
			Awaitility.await().atMost(LIMIT).pollInterval(5, TimeUnit.MILLISECONDS).ignoreExceptions().until(() -> {
				HttpResponse<String> answer = client.send(job, HttpResponse.BodyHandlers.ofString());
				if (answer.statusCode() == 202) {
					accepted.add(Postings.json(answer.body()).get("id").asString());
				}
				return accepted.size() == JOBS;
			});
		}
		return accepted;
	}

}
