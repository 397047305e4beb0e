package jobs.localstack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The launcher behind {@code ./run}: Kafka, MongoDB and the two services as processes of
 * this machine, each started again when it dies.
 */
final class LocalStack {

	private static final Duration START_LIMIT = Duration.ofSeconds(120);

	private final boolean tls = isSet("SERVER_SSL_BUNDLE");

	private final String scheme = this.tls ? "https" : "http";

	private final Readiness readiness = new Readiness(this.tls);

	private final List<Child> children = new ArrayList<>();

	private final DataFolder folder;

	private final PidFile pids;

	private final Progress progress = new Progress(Boolean.getBoolean("moves"));

	private final Training training;

	private final int restPort = Ports.named("REST_TO_KAFKA_PORT", 9090);

	private final int mongoPort = Ports.named("KAFKA_TO_MONGO_PORT", 9091);

	private volatile boolean stopping;

	LocalStack(DataFolder folder) {
		this.folder = folder;
		this.pids = new PidFile(folder.path().resolve("pids"));
		this.training = new Training(folder, this.pids);
	}

	/**
	 * Runs until it is stopped.
	 * @param args {@code --clean} or nothing
	 */
	static void main(String[] args) throws InterruptedException {
		Path path = Path.of(".run").toAbsolutePath();
		try {
			DataFolder folder = new DataFolder(path);
			LocalStack stack = new LocalStack(folder);
			stack.pids.endLeftovers();
			if (args.length > 0) {
				folder.clean();
				tellOfKeys();
				return;
			}
			folder.noteLauncher();
			Runtime.getRuntime().addShutdownHook(new Thread(stack::stop));
			stack.run();
		}
		catch (IOException ex) {
			fail("The data folder %s can't be used: %s".formatted(path, ex));
		}
		catch (IllegalStateException | UncheckedIOException ex) {
			fail(String.valueOf(ex.getMessage()));
		}
	}

	/** Clients have these keys, and the next run should take them. */
	private static void tellOfKeys() {
		String keys = System.getenv("JOBS_SECURITY_KEYS_FILE");
		if (keys != null && Files.exists(Path.of(keys))) {
			System.out.printf("Kept %s with its API keys: they stay valid until you revoke them.%n", keys);
		}
	}

	private static void fail(String sentence) {
		System.err.println("run: " + sentence);
		System.exit(1);
	}

	private void run() throws IOException, InterruptedException {
		try {
			start();
			supervise();
		}
		catch (IllegalStateException ex) {
			// what does not get ready because it was stopped has not failed
			if (!this.stopping) {
				this.progress.close();
				throw ex;
			}
		}
	}

	private void start() throws IOException, InterruptedException {
		long start = System.nanoTime();
		// ./run has looked at them before it built
		Ports.requireFree(this.restPort, "REST_TO_KAFKA_PORT");
		Ports.requireFree(this.mongoPort, "KAFKA_TO_MONGO_PORT");
		String kafka = System.getenv("KAFKA_BOOTSTRAP_SERVERS");
		String mongo = System.getenv("MONGODB_URI");
		boolean given = kafka != null || mongo != null;
		String databaseName = "MongoDB as given";
		List<Runnable> waits = new ArrayList<>();
		Map<String, String> own = new LinkedHashMap<>();
		if (kafka == null) {
			int port = Ports.freeFor("Kafka", Integer.getInteger("kafka.port", 9092));
			kafka = "127.0.0.1:" + port;
			own.put("KAFKA_BOOTSTRAP_SERVERS", kafka);
			Child broker = launch(Programs.kafka(this.folder.path().resolve("kafka"), port, this.folder.log("kafka")));
			waits.add(() -> broker.awaitReady(() -> Ports.isListening(port), START_LIMIT));
		}
		if (mongo == null) {
			int port = Ports.freeFor("MongoDB", Integer.getInteger("mongo.port", 27017));
			mongo = "mongodb://127.0.0.1:%d/db".formatted(port);
			own.put("MONGODB_URI", mongo);
			Child database = launch(
					Programs.mongo(this.folder.path().resolve("mongo"), port, this.folder.log("mongo")));
			databaseName = database.name();
			waits.add(() -> database.awaitReady(() -> Ports.isListening(port), START_LIMIT));
		}
		if (isSet("JOBS_RESOURCES")) {
			own.put("JOBS_RESOURCES", System.getenv("JOBS_RESOURCES"));
		}
		this.folder.noteAddresses(own);
		Child rest = launch(service("rest-to-kafka", this.restPort, kafka, mongo));
		Child store = launch(service("kafka-to-mongo", this.mongoPort, kafka, mongo));
		waits.add(() -> rest.awaitReady(() -> this.readiness.isAt(this.restPort), START_LIMIT));
		waits.add(() -> store.awaitReady(() -> this.readiness.isAt(this.mongoPort), START_LIMIT));
		if (given) {
			System.out.printf("Waiting for Kafka at %s and MongoDB at %s ...%n", kafka, withoutPassword(mongo));
		}
		this.progress.begin(System.getProperty("stage", "") + "Starting Kafka, MongoDB and both services");
		waits.forEach(Runnable::run);
		this.progress.end();
		tell(Duration.ofNanos(System.nanoTime() - start), kafka, mongo, databaseName);
		this.training.start(List.of(jar("rest-to-kafka"), jar("kafka-to-mongo")));
	}

	private Child service(String name, int port, String kafka, String mongo) throws IOException {
		Map<String, String> environment = Map.of("SPRING_KAFKA_BOOTSTRAP_SERVERS", kafka, "SPRING_MONGODB_URI", mongo,
				"SERVER_ADDRESS", "127.0.0.1", "SERVER_PORT", Integer.toString(port), "REST_TO_KAFKA_JOBS_URL",
				"%s://localhost:%d/jobs".formatted(this.scheme, this.mongoPort));
		Path jar = jar(name);
		// the first heap as in the image: the cache has 5 MB of objects
		List<String> java = new ArrayList<>(List.of("-XX:InitialHeapSize=32m", "-Xmx256m", "-XX:+UseSerialGC"));
		if (Files.exists(Training.cache(jar))) {
			java.add("-XX:AOTCache=" + Training.cache(jar));
		}
		java.addAll(List.of("-jar", jar.toString()));
		return Programs.java(name, this.folder.log(name), environment, java.toArray(String[]::new));
	}

	/** A service as ./run has unpacked it. */
	private static Path jar(String name) {
		return Path.of(name, "target", "app", name + ".jar").toAbsolutePath();
	}

	private synchronized Child launch(Child child) throws IOException {
		if (this.stopping) {
			throw new IllegalStateException("Stopped while starting.");
		}
		this.children.add(child);
		this.pids.note(child.start());
		return child;
	}

	private void tell(Duration took, String kafka, String mongo, String database) {
		Tour tour = Tour.ofJobs();
		if (isSet("JOBS_RESOURCES")) {
			tour = Tour.ofResources((path) -> this.readiness.read(this.mongoPort, path));
		}
		System.out.printf("""

				Ready after %d s. Post %s, and find it in MongoDB:

				  curl -i%s %s://localhost:%d%s -H 'Content-Type: application/json' \\
				    -d '%s'

				  mongosh '%s' --eval '%s'
				  curl%s %s://localhost:%d%-16s # the same without the Mongo shell
				%s
				  Console %s://localhost:%d/, API %s://localhost:%d/docs and %s://localhost:%d/docs
				  Kafka %s, %s. Logs in %s, stop with %s.
				""", took.toSeconds(), tour.noun(), proof(), this.scheme, this.restPort, tour.path(),
				tour.document().replace("'", "'\\''"), withoutPassword(mongo), tour.query(), proof(), this.scheme,
				this.mongoPort, tour.path(), tour.others(), this.scheme, this.mongoPort, this.scheme, this.restPort,
				this.scheme, this.mongoPort, kafka, database, this.folder.path().resolve("logs"),
				System.getProperty("stop", "Ctrl-C"));
	}

	/** What curl needs beside the address, once security or TLS is on. */
	private String proof() {
		boolean isSecured = System.getenv().getOrDefault("JOBS_SECURITY_ENABLED", "").matches("(?i)true|on|yes|1");
		return (this.tls ? " --cacert AUTHORITY.crt" : "") + (isSecured ? " -H \"Authorization: Bearer $KEY\"" : "");
	}

	private static boolean isSet(String variable) {
		return !System.getenv().getOrDefault(variable, "").isEmpty();
	}

	private static String withoutPassword(String mongo) {
		return mongo.replaceFirst("//[^/@]*@", "//***@");
	}

	/**
	 * Starts whatever dies again, after a second.
	 */
	private void supervise() throws IOException, InterruptedException {
		while (!this.stopping) {
			Thread.sleep(1000);
			restartTheDead();
		}
	}

	private synchronized void restartTheDead() throws IOException {
		for (Child child : this.children) {
			if (!child.isAlive() && !this.stopping) {
				System.out.printf("%s has ended and is started again; see %s%n", child.name(), child.log());
				this.pids.note(child.start());
			}
		}
	}

	/**
	 * Stops the services first, so that they find Kafka and MongoDB for what is in hand.
	 */
	private synchronized void stop() {
		this.stopping = true;
		forgetLauncher();
		this.progress.close();
		this.progress.begin("Stopping");
		this.training.close();
		for (Child child : this.children.reversed()) {
			child.close();
		}
		this.progress.end();
	}

	private void forgetLauncher() {
		try {
			this.folder.noteAddresses(Map.of());
			this.folder.forgetLauncher();
		}
		catch (IOException ex) {
			System.out.println(ex.getMessage());
		}
	}

}
