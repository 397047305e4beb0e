package jobs.endtoend.flow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Projections;
import jobs.endtoend.pair.Application;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of the processes that {@code ./run} and the tests start, when who started
 * them is killed.
 */
@Tag("long")
@Timeout(value = 480, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LauncherTests {

	private static final int CLIENTS = 8;

	private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

	private final Queue<String> accepted = new ConcurrentLinkedQueue<>();

	@TempDir(cleanup = CleanupMode.ON_SUCCESS)
	private Path folder;

	private Child launcher;

	private volatile boolean posting = true;

	@AfterEach
	void stop() {
		this.posting = false;
		this.launcher.close();
	}

	@Test
	void takesOverAtOnceFromALauncherThatWasKilledUnderLoad() throws Exception {
		int port = Ports.free();
		this.launcher = launcher(port, Ports.free()).start();
		awaitStarts(1);
		List<Thread> clients = Stream.generate(() -> Thread.startVirtualThread(() -> post(port)))
			.limit(CLIENTS)
			.toList();
		awaitAccepted(2000);

		this.launcher.kill();
		this.launcher.start();
		awaitStarts(2);
		awaitAccepted(this.accepted.size() + 100);

		this.posting = false;
		for (Thread client : clients) {
			client.join();
		}
		Awaitility.await()
			.atMost(120, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(stored()).containsAll(this.accepted));
		endsWithItsLauncher(Files.readAllLines(home().resolve(".run/pids")));
	}

	/** It has the 30 s that it has for its end. */
	@Test
	@Tag("night")
	void endsAProcessThatDoesNotWantTo() throws IOException {
		Path pids = this.folder.resolve("pids");
		this.launcher = Programs
			.java("a parent", this.folder.resolve("parent.log"), Map.of(), "-cp", System.getProperty("java.class.path"),
					Parent.class.getName(), pids.toString())
			.start();
		this.launcher.awaitReady(() -> Files.exists(pids), Duration.ofSeconds(60));

		endsWithItsLauncher(Files.readAllLines(pids));
	}

	/**
	 * Kills the launcher, and waits for the end of each process whose id begins a line.
	 */
	private void endsWithItsLauncher(List<String> lines) {
		List<ProcessHandle> children = lines.stream()
			.map((line) -> line.split(" ")[0])
			.flatMap((pid) -> ProcessHandle.of(Long.parseLong(pid)).stream())
			.toList();
		assertThat(children).isNotEmpty().allMatch(ProcessHandle::isAlive);

		this.launcher.kill();

		try {
			Awaitility.await()
				.atMost(90, TimeUnit.SECONDS)
				.until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
		}
		finally {
			children.forEach(ProcessHandle::destroyForcibly);
		}
	}

	/**
	 * The launcher in a folder of its own, with both services and their caches where
	 * {@code ./run} has them.
	 */
	private Child launcher(int port, int readPort) throws Exception {
		for (String service : List.of("rest-to-kafka", "kafka-to-mongo")) {
			Path target = Files.createDirectories(home().resolve(service).resolve("target"));
			Process copy = new ProcessBuilder("cp", "-rp", Application.of(service).jar().getParent().toString(),
					target.toString())
				.start();
			assertThat(copy.waitFor()).isZero();
		}
		return new Child("the launcher", log(),
				Map.of("REST_TO_KAFKA_PORT", Integer.toString(port), "KAFKA_TO_MONGO_PORT", Integer.toString(readPort)),
				List.of("sh", "-c", "cd $0 && exec $@", home().toString(),
						Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
						System.getProperty("java.class.path"), "jobs.localstack.LocalStack"));
	}

	/** A folder with a letter that is not ASCII, where this machine's locale has one. */
	private Path home() {
		boolean hasIt = Charset.forName(System.getProperty("sun.jnu.encoding")).newEncoder().canEncode('ö');
		return this.folder.resolve(hasIt ? "zuhause-in-Köln" : "home");
	}

	private Path log() {
		return this.folder.resolve("launcher.log");
	}

	private void awaitStarts(int starts) {
		this.launcher.awaitReady(() -> lines().filter((line) -> line.startsWith("Ready after")).count() == starts,
				Duration.ofSeconds(180));
	}

	private Stream<String> lines() {
		try {
			return Files.readAllLines(log()).stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Set<String> stored() {
		String address = lines().map(Pattern.compile("mongosh '(\\S+)/db'")::matcher)
			.filter(Matcher::find)
			.map((found) -> found.group(1))
			.reduce((_, last) -> last)
			.orElseThrow();
		try (MongoClient mongo = MongoClients.create(address)) {
			return mongo.getDatabase("db")
				.getCollection("jobs", BsonDocument.class)
				.find()
				.projection(Projections.include("_id"))
				.map((document) -> document.getString("_id").getValue())
				.into(new HashSet<>());
		}
	}

	private void awaitAccepted(int jobs) {
		Awaitility.await().atMost(120, TimeUnit.SECONDS).until(() -> this.accepted.size() >= jobs);
	}

	private void post(int port) {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/jobs".formatted(port)))
			.timeout(Duration.ofSeconds(10))
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("{\"title\": \"Engineer\"}"))
			.build();
		while (this.posting) {
			try {
				HttpResponse<Void> answer = this.http.send(request, BodyHandlers.discarding());
				if (answer.statusCode() == 202) {
					String location = answer.headers().firstValue("Location").orElseThrow();
					this.accepted.add(location.substring(location.lastIndexOf('/') + 1));
				}
			}
			catch (IOException ex) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
		}
	}

	/**
	 * Starts a process that ends when it is asked to, and one that does not.
	 */
	static final class Parent {

		private Parent() {
		}

		static void main(String[] args) throws IOException, InterruptedException {
			Path pids = Path.of(args[0]);
			Child obedient = child(pids, "sleep 600").start();
			Path stubbornly = pids.resolveSibling("stubbornly");
			Child stubborn = child(pids, "trap '' TERM; touch '%s'; while :; do sleep 1; done".formatted(stubbornly))
				.start();
			stubborn.awaitReady(() -> Files.exists(stubbornly), Duration.ofSeconds(60));
			Path written = pids.resolveSibling("written");
			Files.writeString(written, "%d%n%d%n".formatted(obedient.handle().pid(), stubborn.handle().pid()));
			Files.move(written, pids);
			Thread.sleep(Duration.ofMinutes(10));
		}

		private static Child child(Path pids, String script) {
			return new Child("a child", pids.resolveSibling("child.log"), Map.of(), List.of("sh", "-c", script));
		}

	}

}
