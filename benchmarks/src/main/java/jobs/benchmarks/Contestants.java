package jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import jobs.testkit.ServicesImage;

/**
 * Who is measured: the services as shipped, the floors with the same flags, and MongoDB's
 * connector. Each has a topic of its own.
 */
final class Contestants {

	static final String REST = "rest-to-kafka";

	static final String STORE = "kafka-to-mongo";

	static final String BRIDGE = "Strimzi's bridge";

	static final String SERVLET = "bare servlet";

	static final String BOTH = "both services";

	static final String PRODUCER = "producer loop";

	static final String LOOP = "raw loop";

	static final String FLOOR_TOPIC = "floor";

	static final String BRIDGE_TOPIC = "bridge";

	static final String RIVAL_DEAD_LETTERS = "connector-dlt";

	static final String CONNECTOR_JARS = "benchmarks/connect/target/lib";

	/** What the scripts of Kafka give Connect. */
	private static final List<String> CONNECT_FLAGS = List.of("-Xms256M", "-Xmx2G", "-XX:+UseG1GC",
			"-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent",
			"-Djava.awt.headless=true");

	private final int restPort = Ports.free();

	private final int servletPort = Ports.free();

	private final int storePort = Ports.free();

	private final Stage stage;

	private final Path root;

	private final String suffix;

	private final Path jobs;

	private final List<String> serviceFlags;

	/**
	 * The contestants of one version.
	 * @param stage where they start
	 * @param root the folder of the project where that version is built
	 * @param suffix tells the version's services from those of another in the same run
	 * @param jobs what the floors are to move
	 */
	Contestants(Stage stage, Path root, String suffix, Path jobs) throws IOException {
		this.stage = stage;
		this.root = root;
		this.suffix = suffix;
		this.jobs = jobs;
		this.serviceFlags = serviceFlags(Files.readString(root.resolve("Dockerfile")),
				Files.readString(root.resolve("docker-compose.yml")));
	}

	int restPort() {
		return this.restPort;
	}

	int servletPort() {
		return this.servletPort;
	}

	int storePort() {
		return this.storePort;
	}

	/** The topic of this version's services. */
	String topic() {
		return "jobs" + this.suffix.replace(' ', '-');
	}

	/** What rows call this version of something. */
	String named(String who) {
		return who + this.suffix;
	}

	Child rest() throws IOException {
		return rest(true);
	}

	/**
	 * The service that takes jobs.
	 * @param shipped as the image has it, or its plain jar
	 */
	Child rest(boolean shipped) throws IOException {
		return service(REST, shipped, this.restPort, Map.of("REST_TO_KAFKA_TOPIC", topic()));
	}

	/**
	 * One more service that takes jobs, as the image has it.
	 * @param port where it serves
	 * @param settings of it alone
	 */
	Child rest(int port, Map<String, String> settings) throws IOException {
		Map<String, String> all = new HashMap<>(settings);
		all.put("REST_TO_KAFKA_TOPIC", topic());
		return service(REST, true, port, all);
	}

	Child servlet() throws IOException {
		return floor(RawServlet.class, Integer.toString(this.servletPort), this.stage.kafka(), FLOOR_TOPIC,
				this.jobs.toString());
	}

	/**
	 * Strimzi's bridge, with the flags of its script, which are none. It waits for all
	 * replicas, as rest-to-kafka does, and not for the leader alone as it comes.
	 * @param release the folder of an unpacked release
	 * @param port where it serves
	 * @return the process, not started
	 */
	Child bridge(Path release, int port) throws IOException {
		Path settings = this.stage.folder().resolve("bridge.properties");
		Files.writeString(settings, """
				bridge.id=benchmark
				kafka.bootstrap.servers=%s
				kafka.producer.acks=all
				http.host=127.0.0.1
				http.port=%d
				http.management.port=%d
				http.consumer.enabled=false
				""".formatted(this.stage.kafka(), port, Ports.free()));
		return Programs.java(BRIDGE, this.stage.log("bridge"), Map.of(),
				"-Dvertx.cacheDirBase=" + this.stage.folder().resolve("bridge-cache"),
				"-Dlog4j2.configurationFile=" + release.resolve("config/log4j2.properties").toUri(), "-cp",
				release.resolve("libs") + "/*", "io.strimzi.kafka.bridge.Application", "--config-file=" + settings);
	}

	Sink store(BlackHole hole) throws IOException {
		return store(true, hole);
	}

	/**
	 * One more instance of the service that stores them, as the image has it.
	 * @param port where it serves
	 * @param settings of it alone
	 */
	Sink store(int port, BlackHole hole, Map<String, String> settings) throws IOException {
		return store(true, port, hole, settings);
	}

	/**
	 * The service that stores them.
	 * @param shipped as the image has it, or its plain jar
	 * @param hole where its jobs go
	 */
	Sink store(boolean shipped, BlackHole hole) throws IOException {
		return store(shipped, this.storePort, hole, Map.of());
	}

	private Sink store(boolean shipped, int port, BlackHole hole, Map<String, String> settings) throws IOException {
		Map<String, String> all = new HashMap<>(settings);
		all.putAll(Map.of("KAFKA_TO_MONGO_TOPIC", topic(), "KAFKA_TO_MONGO_DEAD_LETTER_TOPIC", topic() + "-dlt",
				"SPRING_KAFKA_CONSUMER_GROUP_ID", topic(), "SPRING_MONGODB_URI", hole.address() + "/" + topic()));
		return new Sink(named(STORE), service(STORE, shipped, port, all), topic(), topic(), hole);
	}

	Sink loop(BlackHole hole) throws IOException {
		return new Sink(LOOP, floor(RawLoop.class, this.stage.kafka(), FLOOR_TOPIC, hole.address() + "/raw"),
				FLOOR_TOPIC, "raw", hole);
	}

	/**
	 * A rival, not started.
	 * @param which one of {@link #rivals()}
	 * @param topic its topic, and the name of its database
	 * @param hole where its jobs go
	 */
	Sink rival(Map.Entry<String, Map<String, String>> which, String topic, BlackHole hole) throws IOException {
		Map<String, String> settings = new LinkedHashMap<>(which.getValue());
		settings.put("topics", topic);
		settings.put("connection.uri", hole.address() + "/?w=majority");
		return new Sink("connector, " + which.getKey(), connector(topic, settings), topic, topic, hole);
	}

	/**
	 * MongoDB's connector as it comes, and with the settings that come closest: with the
	 * record's key as {@code _id}, unordered inserts, 2,000 records a poll, and dead
	 * letters.
	 */
	static Map<String, Map<String, String>> rivals() {
		Map<String, String> best = Map.ofEntries(Map.entry("bulk.write.ordered", "false"),
				Map.entry("writemodel.strategy",
						"com.mongodb.kafka.connect.sink.writemodel.strategy.InsertOneDefaultStrategy"),
				Map.entry("document.id.strategy",
						"com.mongodb.kafka.connect.sink.processor.id.strategy.ProvidedInKeyStrategy"),
				Map.entry("transforms", "id"),
				Map.entry("transforms.id.type", "org.apache.kafka.connect.transforms.HoistField$Key"),
				Map.entry("transforms.id.field", "_id"), Map.entry("consumer.override.max.poll.records", "2000"),
				Map.entry("errors.tolerance", "all"),
				Map.entry("errors.deadletterqueue.topic.name", RIVAL_DEAD_LETTERS),
				Map.entry("errors.deadletterqueue.topic.replication.factor", "1"));
		Map<String, String> four = new LinkedHashMap<>(best);
		four.put("tasks.max", "4");
		Map<String, Map<String, String>> rivals = new LinkedHashMap<>();
		rivals.put("defaults", Map.of());
		rivals.put("unordered inserts", best);
		rivals.put("unordered inserts, 4 tasks", four);
		return rivals;
	}

	/**
	 * The flags of the services' image, but for its cache, with the memory that Compose
	 * gives it.
	 * @param dockerfile whose first entry point is the services'
	 * @param compose the text of {@code docker-compose.yml}
	 */
	static List<String> serviceFlags(String dockerfile, String compose) {
		Matcher memory = Pattern.compile("mem_limit: (\\d+)m")
			.matcher(compose.substring(compose.indexOf("\n  " + REST + ":")));
		if (!memory.find()) {
			throw new IllegalStateException("docker-compose.yml names no memory");
		}
		List<String> flags = new ArrayList<>();
		for (String option : ServicesImage.options(dockerfile)) {
			int share = option.startsWith("-XX:MaxRAMPercentage=") ? Integer.parseInt(option.substring(21)) : 0;
			flags.add((share > 0) ? "-Xmx%dk".formatted(Long.parseLong(memory.group(1)) * 1024 * share / 100) : option);
		}
		return flags;
	}

	/**
	 * A service.
	 * @param name its module
	 * @param shipped as the image has it, unpacked and with a cache of its classes
	 * @param port where it serves
	 * @param environment its settings
	 * @return the process, not started
	 */
	private Child service(String name, boolean shipped, int port, Map<String, String> environment) throws IOException {
		Map<String, String> all = new HashMap<>(environment);
		all.put("SERVER_ADDRESS", "127.0.0.1");
		all.put("SERVER_PORT", Integer.toString(port));
		all.put("SPRING_KAFKA_BOOTSTRAP_SERVERS", this.stage.kafka());
		all.put("MALLOC_ARENA_MAX", "2");
		List<String> arguments = new ArrayList<>(this.serviceFlags);
		if (shipped) {
			Path app = this.root.resolve(name + "/target/app");
			// without AOTMode a JVM that can't use its cache says nothing
			arguments.addAll(List.of("-XX:AOTMode=on", "-XX:AOTCache=" + app.resolve("app.aot"), "-jar",
					app.resolve(name + ".jar").toString()));
		}
		else {
			arguments.addAll(List.of("-jar", this.root.resolve("%1$s/target/%1$s.jar".formatted(name)).toString()));
		}
		return Programs.java(named(name), this.stage.log("%s-%s-%d".formatted(topic(), name, port)), all,
				arguments.toArray(String[]::new));
	}

	/**
	 * What {@code ./run try-contract} runs: kafka-to-mongo's program, which reads stored
	 * documents, with the flags of {@code local-stack/try.sh}.
	 * @param schema the contract that is tried
	 * @param database where the documents are
	 * @param log where it tells what it does
	 * @return the process, not started
	 */
	Child trial(Path schema, String database, Path log) {
		Path app = this.root.resolve(STORE + "/target/app");
		return new Child("try-contract", log, Map.of("SPRING_MONGODB_URI", database),
				List.of("nice", "-n", "19", Path.of(System.getProperty("java.home"), "bin", "java").toString(),
						"-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dmoves=true",
						"-XX:AOTCache=" + app.resolve("app.aot"), "-jar", app.resolve(STORE + ".jar").toString(),
						"try-contract", schema.toString()));
	}

	/**
	 * A floor, with the flags of the services.
	 * @param program its class
	 * @param arguments what it is told
	 * @return the process, not started
	 */
	private Child floor(Class<?> program, String... arguments) throws IOException {
		List<String> all = new ArrayList<>(this.serviceFlags);
		all.addAll(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Djava.io.tmpdir=" + this.stage.folder(),
				"-cp", System.getProperty("java.class.path"), program.getName()));
		all.addAll(List.of(arguments));
		return Programs.java(program.getSimpleName(), this.stage.log(program.getSimpleName()),
				Map.of("MALLOC_ARENA_MAX", "2"), all.toArray(String[]::new));
	}

	/**
	 * MongoDB's connector in Connect's standalone worker.
	 * @param name of the connector, its group and its database
	 * @param settings of the connector
	 * @return the process, not started
	 */
	private Child connector(String name, Map<String, String> settings) throws IOException {
		Path worker = this.stage.folder().resolve(name + "-worker.properties");
		Files.writeString(worker, """
				bootstrap.servers=%s
				listeners=http://127.0.0.1:%d
				key.converter=org.apache.kafka.connect.storage.StringConverter
				value.converter=org.apache.kafka.connect.json.JsonConverter
				value.converter.schemas.enable=false
				offset.storage.file.filename=%s
				""".formatted(this.stage.kafka(), Ports.free(), this.stage.folder().resolve(name + ".offsets")));
		Path connector = this.stage.folder().resolve(name + ".properties");
		List<String> lines = new ArrayList<>(List.of("name=" + name,
				"connector.class=com.mongodb.kafka.connect.MongoSinkConnector", "database=" + name, "collection=jobs"));
		settings.forEach((key, value) -> lines.add(key + "=" + value));
		Files.write(connector, lines);
		List<String> arguments = new ArrayList<>(CONNECT_FLAGS);
		arguments.addAll(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp",
				this.root.resolve(CONNECTOR_JARS) + "/*", "org.apache.kafka.connect.cli.ConnectStandalone",
				worker.toString(), connector.toString()));
		return Programs.java(name, this.stage.log(name), Map.of(), arguments.toArray(String[]::new));
	}

}
