package jobs.localstack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The launcher behind {@code ./run}: Kafka, MongoDB and the two services as processes of
 * this machine, each started again when it dies.
 */
final class LocalStack {

	private static final Duration START_LIMIT = Duration.ofSeconds(120);

	private final Readiness readiness = new Readiness();

	private final List<Child> children = new ArrayList<>();

	private final Path folder;

	private final PidFile pids;

	private final int restPort = port("REST_TO_KAFKA_PORT", 9090);

	private final int mongoPort = port("KAFKA_TO_MONGO_PORT", 9091);

	private @Nullable FileChannel lock;

	private volatile boolean stopping;

	LocalStack(Path folder) {
		this.folder = folder;
		this.pids = new PidFile(folder.resolve("pids"));
	}

	/**
	 * Runs until it is stopped.
	 * @param args {@code --clean} or nothing
	 */
	static void main(String[] args) throws InterruptedException {
		Path folder = Path.of(".run").toAbsolutePath();
		try {
			LocalStack stack = new LocalStack(folder);
			stack.lock();
			stack.pids.endLeftovers();
			if (args.length > 0) {
				stack.clean();
				return;
			}
			Runtime.getRuntime().addShutdownHook(new Thread(stack::stop));
			stack.run();
		}
		catch (IOException ex) {
			fail("The data folder %s can't be used: %s".formatted(folder, ex));
		}
		catch (IllegalStateException | UncheckedIOException ex) {
			fail(String.valueOf(ex.getMessage()));
		}
	}

	private static void fail(String sentence) {
		System.err.println("run: " + sentence);
		System.exit(1);
	}

	private void lock() throws IOException {
		Files.createDirectories(this.folder.resolve("logs"));
		FileChannel file = FileChannel.open(this.folder.resolve("lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE);
		if (file.tryLock() == null) {
			throw new IllegalStateException(
					"Another ./run is using %s: stop it first, with Ctrl-C or kill $(cat .run/launcher)."
						.formatted(this.folder));
		}
		this.lock = file;
	}

	private void clean() throws IOException {
		Files.walkFileTree(this.folder, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
				Files.delete(file);
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
				Files.delete(folder);
				return FileVisitResult.CONTINUE;
			}

		});
		System.out.println("Deleted " + this.folder);
	}

	private void run() throws IOException, InterruptedException {
		try {
			start();
			supervise();
		}
		catch (IllegalStateException ex) {
			// what does not get ready because it was stopped has not failed
			if (!this.stopping) {
				throw ex;
			}
		}
	}

	private void start() throws IOException, InterruptedException {
		long start = System.nanoTime();
		requireFree(this.restPort, "REST_TO_KAFKA_PORT");
		requireFree(this.mongoPort, "KAFKA_TO_MONGO_PORT");
		if (this.restPort == this.mongoPort) {
			throw new IllegalStateException(
					"REST_TO_KAFKA_PORT and KAFKA_TO_MONGO_PORT are both %d: set one of them to another port."
						.formatted(this.restPort));
		}
		String kafka = System.getenv("KAFKA_BOOTSTRAP_SERVERS");
		String mongo = System.getenv("MONGODB_URI");
		boolean given = kafka != null || mongo != null;
		String databaseName = "MongoDB as given";
		List<Runnable> waits = new ArrayList<>();
		if (kafka == null) {
			int port = freePort("Kafka", 9092);
			kafka = "127.0.0.1:" + port;
			Child broker = launch(Child.kafka(this.folder.resolve("kafka"), port, log("kafka")));
			waits.add(() -> broker.awaitReady(() -> Ports.isListening(port), START_LIMIT));
		}
		if (mongo == null) {
			int port = freePort("MongoDB", 27017);
			mongo = "mongodb://127.0.0.1:%d/db".formatted(port);
			Child database = launch(Child.mongo(this.folder.resolve("mongo"), port, log("mongo")));
			databaseName = database.name();
			waits.add(() -> database.awaitReady(() -> Ports.isListening(port), START_LIMIT));
		}
		Child rest = launch(service("rest-to-kafka", this.restPort, kafka, mongo));
		Child store = launch(service("kafka-to-mongo", this.mongoPort, kafka, mongo));
		waits.add(() -> rest.awaitReady(() -> this.readiness.isAt(this.restPort), START_LIMIT));
		waits.add(() -> store.awaitReady(() -> this.readiness.isAt(this.mongoPort), START_LIMIT));
		if (given) {
			System.out.printf("Waiting for Kafka at %s and MongoDB at %s ...%n", kafka, withoutPassword(mongo));
		}
		waits.forEach(Runnable::run);
		tell(Duration.ofNanos(System.nanoTime() - start), kafka, mongo, databaseName);
	}

	private static int port(String variable, int otherwise) {
		String port = System.getenv(variable);
		if (port == null) {
			return otherwise;
		}
		if (!port.matches("\\d{1,5}") || Integer.parseInt(port) > 65535) {
			throw new IllegalStateException("%s is '%s', and that is no port.".formatted(variable, port));
		}
		return Integer.parseInt(port);
	}

	private static int freePort(String name, int wanted) {
		int port = Ports.freeOr(wanted);
		if (port != wanted) {
			System.out.printf("Port %d is taken: %s gets port %d%n", wanted, name, port);
		}
		return port;
	}

	private static void requireFree(int port, String variable) {
		if (Ports.isTaken(port)) {
			throw new IllegalStateException(
					"Port %d is taken: stop the program that listens there, or set %s to a free port.".formatted(port,
							variable));
		}
	}

	private Path log(String name) throws IOException {
		Path log = this.folder.resolve("logs").resolve(name + ".log");
		if (Files.exists(log)) {
			Files.move(log, log.resolveSibling(name + ".log.1"), StandardCopyOption.REPLACE_EXISTING);
		}
		return log;
	}

	private Child service(String name, int port, String kafka, String mongo) throws IOException {
		Map<String, String> environment = Map.of("SPRING_KAFKA_BOOTSTRAP_SERVERS", kafka, "SPRING_MONGODB_URI", mongo,
				"SERVER_ADDRESS", "127.0.0.1", "SERVER_PORT", Integer.toString(port), "REST_TO_KAFKA_JOBS_URL",
				"http://localhost:%d/jobs".formatted(this.mongoPort));
		Path app = Path.of(name, "target", "app").toAbsolutePath();
		return Child.java(name, log(name), environment, "-Xmx256m", "-XX:+UseSerialGC",
				"-XX:AOTCache=" + app.resolve("app.aot"), "-jar", app.resolve(name + ".jar").toString());
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
		System.out.printf("""

				Ready after %d s. Post a job, and find it in MongoDB:

				  curl -i http://localhost:%d/jobs -H 'Content-Type: application/json' \\
				    -d '{"title": "Engineer", "description": "Builds it", "company": "Acme", "salary": "$10,000"}'

				  mongosh '%s' --eval 'db.%s.find()'
				  curl http://localhost:%d/jobs            # the same without the Mongo shell

				  Console http://localhost:%d/, API http://localhost:%d/docs and http://localhost:%d/docs
				  Kafka %s, %s. Logs in %s, stop with Ctrl-C.
				""", took.toSeconds(), this.restPort, withoutPassword(mongo),
				System.getenv().getOrDefault("KAFKA_TO_MONGO_COLLECTION", "jobs"), this.mongoPort, this.mongoPort,
				this.restPort, this.mongoPort, kafka, database, this.folder.resolve("logs"));
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
		System.out.println("Stopping ...");
		for (Child child : this.children.reversed()) {
			child.close();
		}
	}

}
