package jobs.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jobs.localstack.Child;
import jobs.localstack.Ports;

/**
 * The processes of a run: Kafka, the database, and all that is measured. They end with
 * this, or when the run is interrupted.
 */
final class Stage implements AutoCloseable {

	private static final Duration START_LIMIT = Duration.ofSeconds(90);

	/** What the scripts of Kafka give Connect. */
	private static final List<String> CONNECT_FLAGS = List.of("-Xms256M", "-Xmx2G", "-XX:+UseG1GC",
			"-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent",
			"-Djava.awt.headless=true");

	private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();

	private final List<Child> children = new ArrayList<>();

	private final Path root;

	private final Path folder;

	private final List<String> serviceFlags;

	private final Thread atEnd = new Thread(this::end);

	private final String kafka;

	private int database;

	private boolean ending;

	/**
	 * Starts Kafka, and the database where there is a {@code mongod}.
	 * @param root the folder of the project
	 */
	Stage(Path root) throws IOException {
		this.root = root;
		this.folder = root.resolve("benchmarks/target/stage");
		delete(this.folder);
		Files.createDirectories(this.folder);
		this.serviceFlags = serviceFlags(root);
		Runtime.getRuntime().addShutdownHook(this.atEnd);
		int port = Ports.free();
		this.kafka = "127.0.0.1:" + port;
		startKafka(port);
		if (Child.onPath("mongod") != null) {
			this.database = Ports.free();
			Child mongod = launch(Child.mongo(this.folder, this.database, log("mongod")));
			mongod.awaitReady(() -> Ports.isListening(this.database), START_LIMIT);
		}
	}

	String kafka() {
		return this.kafka;
	}

	/**
	 * The port of the database, or 0 where there is none.
	 */
	int database() {
		return this.database;
	}

	Path folder() {
		return this.folder;
	}

	/**
	 * The broker of {@code ./run}, but for its habit of keeping what nobody needs: some
	 * gigabytes go through it.
	 */
	private void startKafka(int port) throws IOException {
		Path data = Files.createDirectories(this.folder.resolve("kafka"));
		Files.writeString(data.resolve("server.properties"), """
				process.roles=broker,controller
				node.id=1
				listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
				advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
				controller.listener.names=CONTROLLER
				controller.quorum.voters=1@127.0.0.1:%2$d
				log.dirs=%3$s
				auto.create.topics.enable=false
				default.replication.factor=1
				offsets.topic.replication.factor=1
				offsets.topic.num.partitions=4
				transaction.state.log.replication.factor=1
				transaction.state.log.min.isr=1
				group.initial.rebalance.delay.ms=0
				log.segment.bytes=67108864
				log.retention.check.interval.ms=5000
				log.segment.delete.delay.ms=1000
				""".formatted(port, Ports.free(), data.resolve("log")));
		launch(Child.kafkaMember(data, log("kafka"))).awaitReady(() -> Ports.isListening(port), START_LIMIT);
	}

	/**
	 * The flags of the image, with the memory that Compose gives it.
	 */
	private static List<String> serviceFlags(Path root) throws IOException {
		String dockerfile = Files.readString(root.resolve("Dockerfile"));
		String entryPoint = dockerfile.substring(dockerfile.indexOf("ENTRYPOINT"));
		Matcher memory = Pattern.compile("mem_limit: (\\d+)m")
			.matcher(Files.readString(root.resolve("docker-compose.yml")));
		if (!memory.find()) {
			throw new IllegalStateException("docker-compose.yml names no memory");
		}
		List<String> flags = new ArrayList<>();
		Matcher flag = Pattern.compile("\"(-[XD][^\"]*)\"").matcher(entryPoint);
		while (flag.find()) {
			String text = flag.group(1);
			int share = text.startsWith("-XX:MaxRAMPercentage=") ? Integer.parseInt(text.substring(21)) : 0;
			flags.add((share > 0) ? "-Xmx%dk".formatted(Long.parseLong(memory.group(1)) * 1024 * share / 100) : text);
		}
		return flags;
	}

	List<String> serviceFlags() {
		return this.serviceFlags;
	}

	/**
	 * A service as shipped.
	 * @param name its module
	 * @param port where it serves
	 * @param environment its settings
	 * @return the process, not started
	 */
	Child service(String name, int port, Map<String, String> environment) throws IOException {
		Map<String, String> all = new HashMap<>(environment);
		all.put("SERVER_ADDRESS", "127.0.0.1");
		all.put("SERVER_PORT", Integer.toString(port));
		all.put("SPRING_KAFKA_BOOTSTRAP_SERVERS", this.kafka);
		all.put("MALLOC_ARENA_MAX", "2");
		List<String> arguments = new ArrayList<>(this.serviceFlags);
		arguments.addAll(
				List.of("-jar", this.root.resolve("%1$s/target/%1$s-1.0.0-SNAPSHOT.jar".formatted(name)).toString()));
		return Child.java(name, log(name), all, arguments.toArray(String[]::new));
	}

	/**
	 * A floor, with the flags of the services.
	 * @param program its class
	 * @param arguments what it is told
	 * @return the process, not started
	 */
	Child floor(Class<?> program, String... arguments) throws IOException {
		List<String> all = new ArrayList<>(this.serviceFlags);
		all.addAll(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Djava.io.tmpdir=" + this.folder, "-cp",
				System.getProperty("java.class.path"), program.getName()));
		all.addAll(List.of(arguments));
		return Child.java(program.getSimpleName(), log(program.getSimpleName()), Map.of("MALLOC_ARENA_MAX", "2"),
				all.toArray(String[]::new));
	}

	/**
	 * MongoDB's connector in Connect's standalone worker.
	 * @param name of the connector, its group and its database
	 * @param settings of the connector
	 * @return the process, not started
	 */
	Child connector(String name, Map<String, String> settings) throws IOException {
		Path worker = this.folder.resolve(name + "-worker.properties");
		Files.writeString(worker, """
				bootstrap.servers=%s
				listeners=http://127.0.0.1:%d
				key.converter=org.apache.kafka.connect.storage.StringConverter
				value.converter=org.apache.kafka.connect.json.JsonConverter
				value.converter.schemas.enable=false
				offset.storage.file.filename=%s
				""".formatted(this.kafka, Ports.free(), this.folder.resolve(name + ".offsets")));
		Path connector = this.folder.resolve(name + ".properties");
		List<String> lines = new ArrayList<>(List.of("name=" + name,
				"connector.class=com.mongodb.kafka.connect.MongoSinkConnector", "database=" + name, "collection=jobs"));
		settings.forEach((key, value) -> lines.add(key + "=" + value));
		Files.write(connector, lines);
		List<String> arguments = new ArrayList<>(CONNECT_FLAGS);
		arguments.addAll(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp",
				this.root.resolve("benchmarks/connect/target/lib") + "/*",
				"org.apache.kafka.connect.cli.ConnectStandalone", worker.toString(), connector.toString()));
		return Child.java(name, log(name), Map.of(), arguments.toArray(String[]::new));
	}

	private Path log(String name) {
		return this.folder.resolve(name + ".log");
	}

	/**
	 * Starts a process that this ends when it ends.
	 */
	synchronized Child launch(Child child) {
		if (this.ending) {
			throw new IllegalStateException("Interrupted");
		}
		this.children.add(child);
		return child.start();
	}

	/**
	 * Ends a process before all others.
	 */
	synchronized void end(Child child) {
		child.close();
		this.children.remove(child);
	}

	void awaitListening(Child child, int port) {
		child.awaitReady(() -> Ports.isListening(port), START_LIMIT);
	}

	void awaitReady(Child child, int port) {
		child.awaitReady(() -> isReady(port), START_LIMIT);
	}

	boolean isReady(int port) {
		try {
			return this.http
				.send(HttpRequest
					.newBuilder(URI.create("http://127.0.0.1:%d/actuator/health/readiness".formatted(port)))
					.timeout(Duration.ofSeconds(5))
					.build(), BodyHandlers.discarding())
				.statusCode() == 200;
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private synchronized void end() {
		this.ending = true;
		for (Child child : this.children.reversed()) {
			child.kill();
		}
		this.children.clear();
	}

	/**
	 * Ends all processes and deletes their data; their logs stay.
	 */
	@Override
	public void close() throws IOException {
		end();
		Runtime.getRuntime().removeShutdownHook(this.atEnd);
		delete(this.folder.resolve("kafka"));
		delete(this.folder.resolve("mongod"));
	}

	private static void delete(Path folder) throws IOException {
		if (Files.notExists(folder)) {
			return;
		}
		try (Stream<Path> files = Files.walk(folder)) {
			files.sorted(Comparator.reverseOrder()).forEach((file) -> {
				try {
					Files.delete(file);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
		}
	}

}
