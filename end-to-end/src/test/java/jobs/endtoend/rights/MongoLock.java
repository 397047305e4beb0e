package jobs.endtoend.rights;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import javax.net.ssl.SSLContext;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import org.bson.Document;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What makes a {@code mongod} ask for a login, and speak TLS alone. The folder has
 * {@code server.pem} and {@code trust.crt}.
 */
public final class MongoLock {

	private static final Duration START_LIMIT = Duration.ofSeconds(60);

	private static final String PASSWORD = "password";

	/** A driver that polls: the stand-in numbers the replies of a stream wrongly. */
	private static final String OPTIONS = "serverMonitoringMode=poll";

	private MongoLock() {
	}

	/** Whether this machine has what this needs: the stand-in knows no logins. */
	public static boolean isPossible() {
		return Programs.onPath("mongod") != null && Programs.onPath("mongosh") != null;
	}

	/**
	 * Makes root, and kafka-to-mongo by the script that users have, in a database that is
	 * open meanwhile.
	 */
	public static void addUsers(Path folder, int port) throws IOException, InterruptedException {
		try (Child open = Programs.mongo(folder.resolve("mongo"), port, folder.resolve("mongo.log")).start()) {
			open.awaitReady(() -> Ports.isListening(port), START_LIMIT);
			try (MongoClient mongo = MongoClients.create("mongodb://127.0.0.1:" + port)) {
				mongo.getDatabase("admin")
					.runCommand(new Document("createUser", "root").append("pwd", PASSWORD)
						.append("roles", List.of("root")));
			}
			ProcessBuilder script = new ProcessBuilder("mongosh", "--quiet",
					"mongodb://127.0.0.1:%d/db".formatted(port),
					Path.of("..", "deploy", "mongodb-role.js").toAbsolutePath().toString());
			script.environment().put("KAFKA_TO_MONGO_PASSWORD", PASSWORD);
			Path log = folder.resolve("role.log");
			assertThat(script.redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor())
				.as("see %s", log)
				.isZero();
		}
	}

	/** The options of a {@code mongod} that is locked. */
	public static String[] options(Path folder) {
		return new String[] { "--auth", "--tlsMode", "requireTLS", "--tlsCertificateKeyFile",
				folder.resolve("server.pem").toString() };
	}

	/** The settings with which kafka-to-mongo connects. */
	public static Map<String, String> service(Path folder, int port) {
		return Map.of("SPRING_MONGODB_URI",
				"mongodb://kafka-to-mongo:%s@localhost:%d/db?%s".formatted(PASSWORD, port, OPTIONS),
				"SPRING_MONGODB_SSL_BUNDLE", "mongodb", "SPRING_SSL_BUNDLE_PEM_MONGODB_TRUSTSTORE_CERTIFICATE",
				folder.resolve("trust.crt").toString());
	}

	/** A client that may do everything. */
	public static MongoClient root(int port, SSLContext tls) {
		return MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(
					new ConnectionString("mongodb://root:%s@localhost:%d/?authSource=admin&maxIdleTimeMS=1000&%s"
						.formatted(PASSWORD, port, OPTIONS)))
			.applyToSslSettings((settings) -> settings.enabled(true).context(tls))
			.build());
	}

	/**
	 * Leaves kafka-to-mongo's role without an action. The stand-in knows no rights of
	 * single collections: what it has on one it has on both.
	 */
	public static void take(MongoClient root, String action) {
		List<String> actions = List.of("find", "insert", "update", "createIndex")
			.stream()
			.filter((one) -> !one.equals(action))
			.toList();
		List<Document> privileges = List.of("jobs", "deadLetters")
			.stream()
			.map((collection) -> new Document("resource", new Document("db", "db").append("collection", collection))
				.append("actions", actions))
			.toList();
		root.getDatabase("db").runCommand(new Document("updateRole", "kafkaToMongo").append("privileges", privileges));
	}

	/** Gives all actions back. */
	public static void giveBack(MongoClient root) {
		take(root, "");
	}

}
