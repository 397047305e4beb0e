package jobs.endtoend.rights;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import com.mongodb.client.MongoClient;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import jobs.testkit.Authority;

/** A {@code mongod} that is locked. */
public final class LockedMongo implements AutoCloseable {

	private static final Duration START_LIMIT = Duration.ofSeconds(60);

	private final Path tls;

	private final int port = Ports.free();

	private final Child database;

	/** Starts it with a certificate that is in its folder {@code tls} already. */
	public LockedMongo(Path folder) throws IOException, InterruptedException {
		this.tls = folder.resolve("tls");
		MongoLock.addUsers(folder, this.port);
		this.database = Programs.mongo(folder.resolve("mongo"), this.port, folder.resolve("mongo.log"),
				MongoLock.options(this.tls));
		start();
	}

	private void start() {
		this.database.start().awaitReady(() -> Ports.isListening(this.port), START_LIMIT);
	}

	/** Comes again with a certificate of an authority. */
	void restart(Authority authority) throws IOException {
		this.database.close();
		authority.issue(this.tls, "server");
		start();
	}

	public Map<String, String> settings() {
		return MongoLock.service(this.tls, this.port);
	}

	/** Takes an action from the role of kafka-to-mongo. */
	void take(String action, Authority authority) {
		try (MongoClient root = MongoLock.root(this.port, Authority.trusting(authority))) {
			MongoLock.take(root, action);
		}
	}

	/** Gives the role all actions. */
	void giveBack(Authority authority) {
		try (MongoClient root = MongoLock.root(this.port, Authority.trusting(authority))) {
			MongoLock.giveBack(root);
		}
	}

	@Override
	public void close() {
		this.database.kill();
	}

}
