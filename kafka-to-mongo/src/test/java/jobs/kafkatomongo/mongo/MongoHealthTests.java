package jobs.kafkatomongo.mongo;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.health.contributor.Status;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One lost answer does not make MongoDB look dead; a second one in a row does.
 */
@Tag("long")
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MongoHealthTests {

	@TempDir
	private Path folder;

	private final AtomicInteger lost = new AtomicInteger();

	private MongoServer server;

	private MongoClient client;

	private MongoHealth health;

	@BeforeEach
	void start() {
		this.server = new MongoServer(new LosingBackend(this.folder.resolve("data.mv").toString(), this.lost));
		InetSocketAddress address = this.server.bind();
		this.client = MongoClients.create("mongodb://127.0.0.1:" + address.getPort());
		this.health = new MongoHealth(this.client, new SimpleMongoClientDatabaseFactory(this.client, "db"));
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.server.shutdownNow();
	}

	@Test
	void saysThatANameHasNoRecords() {
		try (MongoClient nowhere = MongoClients.create("mongodb+srv://ann:secret@nowhere.invalid/db")) {
			MongoHealth health = new MongoHealth(nowhere, new SimpleMongoClientDatabaseFactory(nowhere, "db"));

			Awaitility.await().atMost(25, TimeUnit.SECONDS).untilAsserted(() -> {
				health.check();
				assertThat(health.health().getDetails().get("reason")).asString()
					.startsWith("The name in SPRING_MONGODB_URI can't be resolved: ")
					.contains("nowhere.invalid")
					.doesNotContain("secret");
			});
		}
	}

	@Test
	void isUpAlthoughOneAnswerIsLost() {
		this.lost.set(1);
		this.health.check();
		assertThat(this.health.health().getStatus()).isEqualTo(Status.UP);
		assertThat(this.lost).hasValue(0);
	}

	@Test
	void isDownWhenTwoAnswersAreLostAndUpWithTheNext() {
		this.lost.set(2);
		this.health.check();
		assertThat(this.health.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(this.health.health().getDetails()).containsEntry("reason", "MongoDB does not answer");

		this.health.check();
		assertThat(this.health.health().getStatus()).isEqualTo(Status.UP);
	}

	/**
	 * Closes the connection in place of an answer to a ping, as often as is wanted.
	 */
	private static final class LosingBackend extends H2Backend {

		private final AtomicInteger left;

		LosingBackend(String file, AtomicInteger left) {
			super(file);
			this.left = left;
		}

		@Override
		public Document handleMessage(MongoMessage message) {
			if (message.getDocument().containsKey("ping")
					&& this.left.getAndUpdate((count) -> Math.max(0, count - 1)) > 0) {
				message.getChannel().close();
			}
			return super.handleMessage(message);
		}

	}

}
