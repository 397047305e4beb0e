package jobs.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import org.jspecify.annotations.Nullable;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.mongodb.MongoDBContainer;

/**
 * The Kafka and the MongoDB of a test run, started once and stopped with it.
 * <p>
 * The system property {@code backends} chooses: {@code embedded}, the default (processes
 * of this machine, MongoDB by the {@code mongod} on the PATH if there is one),
 * {@code docker} (Testcontainers), or {@code given} (at {@code KAFKA_BOOTSTRAP_SERVERS}
 * and {@code MONGODB_URI} of the environment).
 */
public final class Backends {

	private static final Duration START_LIMIT = Duration.ofSeconds(60);

	private static @Nullable Backends instance;

	private final String kafka;

	private final String mongo;

	private final @Nullable Child broker;

	private final @Nullable Child database;

	private Backends(String kafka, String mongo, @Nullable Child broker, @Nullable Child database) {
		this.kafka = kafka;
		this.mongo = mongo;
		this.broker = broker;
		this.database = database;
	}

	/**
	 * Starts the backends, or returns those that run.
	 * @return the backends of this test run
	 */
	public static synchronized Backends get() {
		if (instance == null) {
			instance = start(System.getProperty("backends", "embedded"));
		}
		return instance;
	}

	private static Backends start(String kind) {
		return switch (kind) {
			case "given" -> given();
			case "docker" -> docker();
			case "embedded" -> embedded();
			default -> throw new IllegalArgumentException("'%s' is none of embedded, docker and given".formatted(kind));
		};
	}

	private static Backends given() {
		return new Backends(required("KAFKA_BOOTSTRAP_SERVERS"), required("MONGODB_URI"), null, null);
	}

	private static String required(String variable) {
		return Optional.ofNullable(System.getenv(variable))
			.orElseThrow(() -> new IllegalStateException(variable + " is not set"));
	}

	@SuppressWarnings("resource")
	private static Backends docker() {
		KafkaContainer kafka = new KafkaContainer("apache/kafka:4.1.1").withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE",
				"false");
		MongoDBContainer mongo = new MongoDBContainer("mongo:8.0");
		kafka.start();
		mongo.start();
		return new Backends(kafka.getBootstrapServers(), mongo.getConnectionString(), null, null);
	}

	private static Backends embedded() {
		try {
			Path folder = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "backends")
				.toAbsolutePath();
			int kafkaPort = Ports.free();
			int mongoPort = Ports.free();
			Child broker = Programs.kafka(folder.resolve("kafka"), kafkaPort, folder.resolve("kafka.log")).start();
			Child database = Programs.mongo(folder.resolve("mongo"), mongoPort, folder.resolve("mongo.log")).start();
			Runtime.getRuntime().addShutdownHook(new Thread(() -> {
				broker.kill();
				database.kill();
			}));
			broker.awaitReady(() -> Ports.isListening(kafkaPort), START_LIMIT);
			database.awaitReady(() -> Ports.isListening(mongoPort), START_LIMIT);
			return new Backends("127.0.0.1:" + kafkaPort, "mongodb://127.0.0.1:" + mongoPort, broker, database);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Where Kafka is.
	 * @return the bootstrap servers
	 */
	public String kafka() {
		return this.kafka;
	}

	/**
	 * Where a database is.
	 * @param database its name
	 * @return the connection string
	 */
	public String mongo(String database) {
		int options = this.mongo.indexOf('?');
		String hosts = (options < 0) ? this.mongo : this.mongo.substring(0, options);
		int path = hosts.indexOf('/', hosts.indexOf("//") + 2);
		return ((path < 0) ? hosts : hosts.substring(0, path)) + "/" + database
				+ ((options < 0) ? "" : this.mongo.substring(options));
	}

	/**
	 * Kafka's process, where it is one of this machine that a test may kill.
	 * @return the process
	 */
	public Optional<Child> broker() {
		return Optional.ofNullable(this.broker);
	}

	/**
	 * MongoDB's process, where it is one of this machine that a test may kill.
	 * @return the process
	 */
	public Optional<Child> database() {
		return Optional.ofNullable(this.database);
	}

}
