package jobs.endtoend.rights;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import javax.net.ssl.SSLContext;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import jobs.testkit.Authority;
import org.bson.Document;

import static org.assertj.core.api.Assertions.assertThat;

/** A {@code mongod} that asks for a login, and speaks TLS alone. */
final class LockedMongo implements AutoCloseable {

	private static final Duration START_LIMIT = Duration.ofSeconds(60);

	private static final String PASSWORD = "password";

	private final Path folder;

	private final int port = Ports.free();

	private Child database;

	/**
	 * Makes its users, then locks it, with a certificate that is in the folder already.
	 */
	LockedMongo(Path folder) throws Exception {
		this.folder = folder;
		this.database = start();
		try (MongoClient open = MongoClients.create("mongodb://127.0.0.1:" + this.port)) {
			open.getDatabase("admin")
				.runCommand(
						new Document("createUser", "root").append("pwd", PASSWORD).append("roles", List.of("root")));
		}
		ProcessBuilder script = new ProcessBuilder("mongosh", "--quiet",
				"mongodb://127.0.0.1:%d/db".formatted(this.port),
				Path.of("..", "deploy", "mongodb-role.js").toAbsolutePath().toString());
		script.environment().put("KAFKA_TO_MONGO_PASSWORD", PASSWORD);
		assertThat(script.inheritIO().start().waitFor()).isZero();
		restart();
	}

	/** Whether this machine has what this needs: the stand-in knows no logins. */
	static boolean isPossible() {
		return Programs.onPath("mongod") != null && Programs.onPath("mongosh") != null;
	}

	private Child start(String... options) throws IOException {
		Child database = Programs
			.mongo(this.folder.resolve("mongo"), this.port, this.folder.resolve("mongo.log"), options)
			.start();
		database.awaitReady(() -> Ports.isListening(this.port), START_LIMIT);
		return database;
	}

	private void restart() throws IOException {
		this.database.close();
		this.database = start("--auth", "--tlsMode", "requireTLS", "--tlsCertificateKeyFile",
				this.folder.resolve("server.pem").toString());
	}

	/** Comes again with a certificate of an authority. */
	void restart(Authority authority) throws IOException {
		this.database.close();
		authority.issue(this.folder, "server");
		restart();
	}

	/** The settings with which kafka-to-mongo connects. */
	Map<String, String> settings() {
		return Map.of("SPRING_MONGODB_URI",
				"mongodb://kafka-to-mongo:%s@localhost:%d/db?serverMonitoringMode=poll".formatted(PASSWORD, this.port),
				"SPRING_MONGODB_SSL_BUNDLE", "mongodb", "SPRING_SSL_BUNDLE_PEM_MONGODB_TRUSTSTORE_CERTIFICATE",
				this.folder.resolve("trust.crt").toString());
	}

	/** Leaves the role without an action. */
	void take(String action, Authority authority) throws Exception {
		List<String> actions = List.of("find", "insert", "update", "createIndex");
		give(actions.stream().filter((one) -> !one.equals(action)).toList(), authority);
	}

	/**
	 * Gives the role what it has by the script, or more: a stand-in knows no collections.
	 */
	void give(List<String> actions, Authority authority) throws Exception {
		List<Document> privileges = List.of("jobs", "deadLetters")
			.stream()
			.map((collection) -> new Document("resource", new Document("db", "db").append("collection", collection))
				.append("actions", actions))
			.toList();
		MongoClientSettings settings = MongoClientSettings.builder()
			.applyConnectionString(
					new ConnectionString("mongodb://root:%s@localhost:%d/?authSource=admin&serverMonitoringMode=poll"
						.formatted(PASSWORD, this.port)))
			.applyToSslSettings((tls) -> tls.enabled(true).context(context(authority)))
			.build();
		try (MongoClient root = MongoClients.create(settings)) {
			MongoDatabase database = root.getDatabase("db");
			database.runCommand(new Document("updateRole", "kafkaToMongo").append("privileges", privileges));
		}
	}

	private static SSLContext context(Authority authority) {
		try {
			return authority.client(null);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.database.kill();
	}

}
