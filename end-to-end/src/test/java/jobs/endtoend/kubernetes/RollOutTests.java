package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import jobs.endtoend.judge.Oracle;
import jobs.endtoend.load.Driver;
import jobs.endtoend.load.History;
import jobs.endtoend.load.Operator;
import jobs.endtoend.load.SteadyUpload;
import jobs.endtoend.load.Strays;
import jobs.endtoend.load.Workload;
import jobs.endtoend.pair.Access;
import jobs.endtoend.pair.Evidence;
import jobs.endtoend.pair.Pair;
import jobs.testkit.Backends;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two pods of each service go from the last release to this version, get other settings,
 * lose a node each, and go back, as the manifests in {@code deploy/} say. Jobs come
 * meanwhile, are read, and dead letters are worked on: each version reads what the other
 * wrote, nothing is lost, doubled or changed, and nobody is refused.
 */
@Tag("night")
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RollOutTests {

	private static final Path TODAY = Path.of("..");

	private static final int JOBS_PER_SECOND = 100;

	/** Room for as many as come in the time that this test has. */
	private static final int MOST_JOBS = JOBS_PER_SECOND * 20 * 60;

	/** Lines of the upload that lasts for most of it. */
	private static final int LINES = 5000;

	private static final Duration EACH_LINE = Duration.ofMillis(40);

	/** Bad records of each step. */
	private static final int STRAYS = 10;

	private final String topic = "jobs-" + UUID.randomUUID();

	private volatile boolean replaced;

	@Test
	void losesAndRefusesNothing() throws Exception {
		Release release = Release.last().orElse(null);
		Assumptions.assumeTrue(release != null, "there is no release in the history of this checkout");
		Map<String, String> overlay = Pair.settings(this.topic, Backends.get().mongo(this.topic));
		Path folder = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "roll-out");
		try (MongoClient mongo = MongoClients.create(Backends.get().mongo(this.topic));
				Strays strays = new Strays(Backends.get().kafka(), this.topic);
				Deployment restToKafka = new Deployment(Manifest.of("rest-to-kafka"), folder, overlay);
				Deployment kafkaToMongo = new Deployment(Manifest.of("kafka-to-mongo"), folder, overlay);
				Balancer jobs = new Balancer(restToKafka::ready);
				Balancer reads = new Balancer(kafkaToMongo::ready)) {
			both(() -> restToKafka.rollOut(release.folder()), () -> kafkaToMongo.rollOut(release.folder()));
			Awaitility.await().until(() -> jobs.endpoints() == 2 && reads.endpoints() == 2);
			Workload workload = new Workload(20);
			History history = new History(LINES + MOST_JOBS);
			Driver driver = new Driver(workload, history, List.of(jobs.port()), Access.OPEN);
			driver.skip(LINES);
			CompletableFuture<Void> driven = CompletableFuture
				.runAsync(() -> driver.runUntil(() -> this.replaced, JOBS_PER_SECOND), Thread::startVirtualThread);
			SteadyUpload upload = new SteadyUpload(workload, history, driver, jobs.port(), 0, LINES, EACH_LINE);
			CompletableFuture<Integer> uploaded = CompletableFuture.supplyAsync(() -> run(upload),
					Thread::startVirtualThread);
			Operator operator = new Operator(20, strays, List.of(reads.port()), Access.OPEN);
			CompletableFuture<Void> operated = CompletableFuture.runAsync(operator::run, Thread::startVirtualThread);
			Reader reader = new Reader(reads.port());
			long start = System.nanoTime();
			for (Deed step : List.<Deed>of(() -> kafkaToMongo.rollOut(TODAY), () -> restToKafka.rollOut(TODAY),
					() -> both(() -> restToKafka.rollOut(Map.of("REST_TO_KAFKA_MAX_JOB_SIZE", "300KB")),
							() -> kafkaToMongo.rollOut(Map.of("KAFKA_TO_MONGO_MAX_BACK_OFF", "5s"))),
					() -> both(restToKafka::evictOne, kafkaToMongo::evictOne),
					() -> restToKafka.rollOut(release.folder()), () -> kafkaToMongo.rollOut(release.folder()))) {
				strays.send(STRAYS);
				step.run();
			}
			System.out.printf("The pods were replaced within %d s%n", (System.nanoTime() - start) / 1_000_000_000);
			this.replaced = true;
			driven.get(5, TimeUnit.MINUTES);
			int uploads = uploaded.get(5, TimeUnit.MINUTES);
			reader.end();
			operator.end();
			operated.get(2, TimeUnit.MINUTES);
			strays.acknowledged();
			driver.finish(history.size());
			operator.finish();
			Evidence evidence = Evidence.of(this.topic, mongo.getDatabase(this.topic));
			Awaitility.await().atMost(5, TimeUnit.MINUTES).until(() -> evidence.lag() == 0);
			Oracle.Verdict verdict = Oracle.judge(workload, history, strays, evidence);
			List<String> wrong = new ArrayList<>(verdict.testimony());
			wrong.addAll(operator.judge(evidence));
			Stream.concat(restToKafka.complaints(), kafkaToMongo.complaints()).forEach(wrong::add);
			wrong.addAll(jobs.refusals());
			wrong.addAll(reads.refusals());
			wrong.addAll(reader.wrong());
			System.out.printf(
					"%d jobs, %d reads, from %s to this version and back, %d pods, 2 evicted, an upload sent %d times: "
							+ "%s; %s; refused by pods that were there: %d, by pods that were gone: %d%s%n",
					history.size(), reader.count(), release.name(), restToKafka.made() + kafkaToMongo.made(), uploads,
					verdict, operator, jobs.refusals().size() + reads.refusals().size(),
					jobs.byTheDead() + reads.byTheDead(), wrong.isEmpty() ? "" : " -- FAILED");
			assertThat(wrong).isEmpty();
			assertThat(restToKafka.made()).as("two, three times replaced, and one evicted").isEqualTo(9);
			assertThat(kafkaToMongo.made()).isEqualTo(9);
		}
	}

	/** Both at once, as one command to a cluster does it. */
	private static void both(Deed one, Deed other) throws Exception {
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
			Future<?> first = threads.submit(() -> {
				one.run();
				return null;
			});
			other.run();
			first.get();
		}
	}

	private static int run(SteadyUpload upload) {
		try {
			return upload.run();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return 0;
		}
	}

	/** What is done to a deployment. */
	private interface Deed {

		void run() throws Exception;

	}

	/**
	 * Somebody who asks kafka-to-mongo, all the time, for what it has without MongoDB: on
	 * two cores with eight JVMs that start, a stand-in may take longer than a read may.
	 */
	private static final class Reader {

		private final HttpClient http = HttpClient.newHttpClient();

		private final HttpRequest request;

		private final AtomicInteger count = new AtomicInteger();

		private final List<String> wrong = new CopyOnWriteArrayList<>();

		private final Thread thread = Thread.startVirtualThread(this::run);

		Reader(int port) {
			this.request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/openapi.yaml".formatted(port)))
				.timeout(Duration.ofSeconds(10))
				.build();
		}

		private void run() {
			try {
				while (!Thread.currentThread().isInterrupted()) {
					Thread.sleep(50);
					read();
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		private void read() throws InterruptedException {
			try {
				int status = this.http.send(this.request, BodyHandlers.discarding()).statusCode();
				this.count.incrementAndGet();
				if (status != 200) {
					this.wrong.add("a read got " + status);
				}
			}
			catch (HttpTimeoutException ex) {
				this.wrong.add("a read got no answer in 10 s");
			}
			catch (IOException ex) {
				// the balancer notes it
			}
		}

		List<String> wrong() {
			return this.wrong;
		}

		int count() {
			return this.count.get();
		}

		void end() {
			this.thread.interrupt();
		}

	}

}
