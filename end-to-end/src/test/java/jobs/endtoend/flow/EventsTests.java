package jobs.endtoend.flow;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import jobs.endtoend.flow.EventClient.Event;
import jobs.endtoend.pair.Pair;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import jobs.localstack.Readiness;
import org.awaitility.Awaitility;
import org.bson.Document;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A client is told what is stored, and goes on where it was cut off: by the change
 * streams of MongoDB, and where there are none by the memory of an instance.
 */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EventsTests {

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private static String order(String id, int version) {
		return "{\"orderNumber\":\"%s\",\"revision\":%d}".formatted(id, version);
	}

	private static String event(String id, int version, String outcome) {
		return "{\"id\":\"%s\",\"version\":%d,\"outcome\":\"%s\"}".formatted(id, version, outcome);
	}

	private static int status(int port, String lastEventId) throws Exception {
		try (EventClient client = new EventClient(port, lastEventId)) {
			return client.status();
		}
	}

	/** Where MongoDB has no change streams. */
	@Nested
	@Tag("long")
	class OfAnInstance {

		@TempDir
		private Path folder;

		@Test
		void tellsWhatItStores() throws Exception {
			try (Pair pair = new Pair(VersionedJobs.in(this.folder)).start()) {
				EventClient client = new EventClient(pair.readPort, null);
				Event source = client.take();
				pair.post(order("a", 2));
				Event stored = client.take();
				pair.post(order("a", 1));
				pair.post(order("b", 1));
				Event next = client.take();
				pair.delete(URI.create(pair.jobs() + "/b?version=2"));
				Event deleted = client.take();
				client.close();
				pair.post(order("c", 1));
				EventClient resumed = new EventClient(pair.readPort, next.id());

				assertThat(source.type()).isEqualTo("source");
				assertThat(source.data()).startsWith("{\"source\":\"instance\",");
				assertThat(stored.data()).isEqualTo(event("a", 2, "stored"));
				assertThat(next.data()).isEqualTo(event("b", 1, "stored"));
				assertThat(deleted.data()).isEqualTo(event("b", 2, "deleted"));
				assertThat(resumed.take().id()).isEqualTo(next.id());
				assertThat(resumed.take()).isEqualTo(deleted);
				assertThat(resumed.take().data()).isEqualTo(event("c", 1, "stored"));
				resumed.close();
				assertThat(status(pair.readPort, "nonsense!")).isEqualTo(400);
				assertThat(status(pair.readPort, "8200aa")).isEqualTo(410);

				pair.kafkaToMongo.kill();
				pair.kafkaToMongo.start();
				pair.awaitReady(pair.kafkaToMongo);
				assertThat(status(pair.readPort, next.id())).isEqualTo(410);
			}
		}

		/** One client has half of the places, and the loop goes on beside all. */
		@Test
		void boundsTheStreamsOfAClient() throws Exception {
			try (Pair pair = new Pair(VersionedJobs.in(this.folder)).start()) {
				List<EventClient> clients = new ArrayList<>();
				for (int i = 0; i < 10; i++) {
					clients.add(new EventClient(pair.readPort, null));
					clients.getLast().take();
				}

				assertThat(status(pair.readPort, null)).isEqualTo(503);
				pair.post(order("a", 1));
				for (EventClient client : clients) {
					assertThat(client.take().data()).isEqualTo(event("a", 1, "stored"));
					client.close();
				}
				Awaitility.await().atMost(LIMIT).until(() -> status(pair.readPort, null) == 200);
			}
		}

	}

	/** Where MongoDB is a replica set. */
	@Nested
	@Tag("long")
	@Tag("mongod")
	class OfADatabase {

		@TempDir
		private Path folder;

		@Test
		void tellsWhatAnybodyDoes() throws Exception {
			int mongoPort = Ports.free();
			int port = Ports.free();
			int readPort = Ports.free();
			Map<String, String> settings = new HashMap<>(VersionedJobs.in(this.folder));
			settings.putAll(Pair.settings("events-" + UUID.randomUUID(),
					"mongodb://127.0.0.1:%d/db?serverMonitoringMode=poll".formatted(mongoPort)));
			Readiness readiness = new Readiness();
			try (Child mongod = Programs.mongo(Files.createDirectory(this.folder.resolve("mongo")), mongoPort,
					Path.of("target", "mongo-of-events.log"), "--replSet", "rs0");
					Child restToKafka = Pair.service("rest-to-kafka", Path.of("target"), port, settings);
					Child kafkaToMongo = Pair.service("kafka-to-mongo", Path.of("target"), readPort, settings);
					MongoClient mongo = MongoClients.create("mongodb://127.0.0.1:" + mongoPort)) {
				mongod.start().awaitReady(() -> Ports.isListening(mongoPort), LIMIT);
				restToKafka.start().awaitReady(() -> readiness.isAt(port), LIMIT);
				kafkaToMongo.start().awaitReady(() -> readiness.isAt(readPort), LIMIT);
				MongoCollection<Document> documents = mongo.getDatabase("db").getCollection("jobs");
				EventClient client = new EventClient(readPort, null);
				Event source = client.take();
				post(port, order("a", 2));
				Event stored = client.take();
				client.close();
				kafkaToMongo.kill();
				documents.updateOne(Filters.eq("_id", "a"), Updates.set("by", "hand"));
				kafkaToMongo.start().awaitReady(() -> readiness.isAt(readPort), LIMIT);
				post(port, order("a", 3));
				EventClient resumed = new EventClient(readPort, stored.id());

				assertThat(source.data()).isEqualTo("{\"source\":\"database\"}");
				assertThat(source.id()).isNotEmpty();
				assertThat(stored.data()).isEqualTo(event("a", 2, "stored"));
				assertThat(resumed.take().type()).isEqualTo("source");
				assertThat(resumed.take().data()).isEqualTo("{\"id\":\"a\",\"outcome\":\"changed\"}");
				assertThat(resumed.take().data()).isEqualTo(event("a", 3, "stored"));
				documents.deleteOne(Filters.eq("_id", "a"));
				Event removed = resumed.take();
				assertThat(removed.data()).isEqualTo("{\"id\":\"a\",\"outcome\":\"removed\"}");
				assertThat(status(readPort, "8200aa")).isEqualTo(410);
				assertThat(status(readPort, "nonsense!")).isEqualTo(400);

				documents.drop();
				assertThatExceptionOfType(IOException.class).isThrownBy(resumed::take);
				assertThat(status(readPort, removed.id())).isEqualTo(410);
				resumed.close();
			}
		}

		private static void post(int port, String order) throws Exception {
			try (HttpClient http = HttpClient.newHttpClient()) {
				assertThat(http
					.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/jobs".formatted(port)))
						.header("Content-Type", "application/json")
						.POST(BodyPublishers.ofString(order))
						.build(), BodyHandlers.discarding())
					.statusCode()).isEqualTo(202);
			}
		}

	}

}
