package jobs.endtoend.upkeep;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import jobs.endtoend.judge.Oracle;
import jobs.endtoend.load.Driver;
import jobs.endtoend.load.History;
import jobs.endtoend.load.Operator;
import jobs.endtoend.load.Strays;
import jobs.endtoend.load.Workload;
import jobs.endtoend.pair.Access;
import jobs.endtoend.pair.Evidence;
import jobs.endtoend.pair.Pair;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Readiness;
import jobs.testkit.Backends;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two of each service go from the last release to what is built here, one by one, and
 * back again, while jobs come and dead letters are worked on: each reads what the other
 * wrote.
 */
@Tag("long")
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UpgradeTests {

	/** Jobs that are settled before the next service is replaced. */
	private static final int STEP = 400;

	private static final int REPLACEMENTS = 8;

	/** For five minutes, since a machine may be slow. */
	private static final int JOBS = 16_000;

	private static final int JOBS_PER_SECOND = 50;

	/** Jobs per second once all are replaced. */
	private static final int REST_PER_SECOND = 1000;

	/** Bad records of each step. */
	private static final int STRAYS = 10;

	private static final Duration START_LIMIT = Duration.ofSeconds(60);

	private final String topic = "jobs-" + UUID.randomUUID();

	private final Readiness readiness = new Readiness();

	private volatile boolean replaced;

	@Test
	void losesDoublesAndChangesNothing() throws Exception {
		Release release = Release.last().orElse(null);
		Assumptions.assumeTrue(release != null, "there is no release in the history of this checkout");
		Path folder = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "upgrade");
		List<Place> places = new ArrayList<>();
		for (String service : List.of("rest-to-kafka", "kafka-to-mongo", "rest-to-kafka", "kafka-to-mongo")) {
			places.add(new Place(service, folder, release));
		}
		Workload workload = new Workload(22);
		History history = new History(JOBS);
		try (MongoClient mongo = MongoClients.create(Backends.get().mongo(this.topic));
				Strays strays = new Strays(Backends.get().kafka(), this.topic)) {
			places.forEach(Place::begin);
			places.forEach(Place::awaitReady);
			Driver driver = new Driver(workload, history, ports(places, "rest-to-kafka"), Access.OPEN);
			Operator operator = new Operator(22, strays, ports(places, "kafka-to-mongo"), Access.OPEN);
			CompletableFuture<Void> driven = CompletableFuture.runAsync(
					() -> driver.run(JOBS, JOBS_PER_SECOND, () -> this.replaced, REST_PER_SECOND),
					Thread::startVirtualThread);
			CompletableFuture<Void> operated = CompletableFuture.runAsync(operator::run, Thread::startVirtualThread);
			for (int i = 0; i < REPLACEMENTS; i++) {
				int settled = history.settled() + STEP;
				strays.send(STRAYS);
				Awaitility.await().atMost(2, TimeUnit.MINUTES).until(() -> history.settled() >= settled);
				places.get(i % places.size()).change();
			}
			assertThat(driven).as("jobs come until the last service is replaced").isNotDone();
			this.replaced = true;
			strays.send(STRAYS);
			driven.get(5, TimeUnit.MINUTES);
			operator.end();
			operated.get(2, TimeUnit.MINUTES);
			strays.acknowledged();
			driver.finish(JOBS);
			operator.finish();
			Evidence evidence = Evidence.of(this.topic, mongo.getDatabase(this.topic));
			Awaitility.await().atMost(5, TimeUnit.MINUTES).until(() -> evidence.lag() == 0);
			Oracle.Verdict verdict = Oracle.judge(workload, history, strays, evidence);
			List<String> wrong = new ArrayList<>(verdict.testimony());
			wrong.addAll(operator.judge(evidence));
			System.out.printf("%d jobs, from %s to this version and back, %d services replaced: %s; %s%s%n", JOBS,
					release.name(), REPLACEMENTS, verdict, operator, wrong.isEmpty() ? "" : " -- FAILED");
			assertThat(wrong).isEmpty();
		}
		finally {
			places.forEach(Place::end);
		}
	}

	private static List<Integer> ports(List<Place> places, String service) {
		return places.stream().filter((place) -> place.service.equals(service)).map((place) -> place.port).toList();
	}

	/**
	 * Where one of the services runs, in either version.
	 */
	private final class Place {

		private final String service;

		private final int port = Ports.free();

		private final Child old;

		private final Child today;

		private boolean isOld = true;

		Place(String service, Path folder, Release release) {
			this.service = service;
			Map<String, String> settings = new HashMap<>(
					Pair.settings(UpgradeTests.this.topic, Backends.get().mongo(UpgradeTests.this.topic)));
			settings.put("SERVER_PORT", Integer.toString(this.port));
			settings.put("SERVER_ADDRESS", "127.0.0.1");
			String name = "%s-%d-".formatted(service, this.port);
			this.old = Pair.service(release.jar(service), name + "old", folder, settings);
			this.today = Pair.service(service, name + "today", folder, settings);
		}

		void begin() {
			running().start();
		}

		void awaitReady() {
			running().awaitReady(() -> UpgradeTests.this.readiness.isAt(this.port), START_LIMIT);
		}

		/** Replaces the one version by the other. */
		void change() {
			running().close();
			this.isOld = !this.isOld;
			begin();
			awaitReady();
		}

		void end() {
			this.old.close();
			this.today.close();
		}

		private Child running() {
			return this.isOld ? this.old : this.today;
		}

	}

}
