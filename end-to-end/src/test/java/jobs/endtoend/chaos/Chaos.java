package jobs.endtoend.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import jobs.endtoend.judge.Oracle;
import jobs.endtoend.load.Driver;
import jobs.endtoend.load.History;
import jobs.endtoend.load.Operator;
import jobs.endtoend.load.Workload;
import jobs.endtoend.pair.Evidence;
import jobs.endtoend.seen.Attribution;
import jobs.endtoend.seen.Faces;
import jobs.endtoend.seen.Watch;
import jobs.localstack.Child;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;

/**
 * A run: jobs are posted and dead letters replayed while faults strike, then all is
 * healed. The {@link Oracle} judges what became of the jobs, and the {@link Attribution}
 * what was seen of the faults.
 *
 * @param jobs how many, rounded up to whole blocks
 * @param faults how many; none for a run that must show nothing
 * @param every the time between the beginnings of two faults, or the whole time where
 * there are none
 * @param seed what the jobs and the faults are made from
 * @param isLocked whether everybody is asked who they are, and all is encrypted
 * @param hasResources whether orders come beside the jobs, whose contract changes twice,
 * and documents of a resource whose batch waits from its beginning until all is healed
 */
record Chaos(int jobs, int faults, Duration every, long seed, boolean isLocked, boolean hasResources) {

	private static final Duration HEALED_LIMIT = Duration.ofSeconds(120);

	private static final Duration LAG_LIMIT = Duration.ofMinutes(20);

	private static final int MAX_SERIES = 300;

	/** More of them for each further resource. */
	private static final int MAX_SERIES_OF_RESOURCE = 150;

	/** A minute of an alert is three seconds: faults are short. */
	private static final int FASTER = 20;

	/**
	 * A minute of an alert is fifteen seconds in a run that must show nothing: a busy
	 * machine delays a second's work by three.
	 */
	private static final int FASTER_IN_QUIET = 4;

	/**
	 * Jobs that come before anybody looks: services that have just started are too slow
	 * for alerts whose minutes last three seconds.
	 */
	private static final int WARM_UP = 2000;

	private static final int WARM_UP_PER_SECOND = 400;

	/**
	 * From the first look to the first fault: whatever is seen by then is a false alarm.
	 */
	private static final Duration CALM = Duration.ofSeconds(25);

	/** Bad records at the start, for dead letters to work with. */
	private static final int STRAYS = 100;

	/** How many times longer roll-outs may take than all faults. */
	private static final int SPARE = 4;

	/** Bad records of the poisoned resource, with each fault. */
	private static final int POISON = 5;

	Chaos {
		if (isLocked && hasResources) {
			throw new IllegalArgumentException("Rights for three resources are not built: leave out one of both");
		}
		jobs = blocks(jobs);
	}

	private static int blocks(int documents) {
		return Math.ceilDiv(documents, Workload.BLOCK) * Workload.BLOCK;
	}

	/**
	 * Runs, telling on the console how it goes.
	 * @return what was wrong, empty when all was well
	 */
	List<String> run() throws Exception {
		try (Cluster cluster = new Cluster(this.isLocked, this.hasResources).start();
				Traffic traffic = Traffic.to("jobs", new Workload(this.seed), this.jobs, cluster)) {
			traffic.strays().send(STRAYS);
			traffic.driver().run(Math.min(WARM_UP, this.jobs), WARM_UP_PER_SECOND);
			awaitNoLag(0, traffic);
			return this.hasResources ? runWithOthers(cluster, traffic) : run(cluster, traffic, List.of(), List::of);
		}
	}

	private List<String> runWithOthers(Cluster cluster, Traffic traffic) throws Exception {
		try (Traffic orders = Traffic.to(ResourcesFile.ORDERS, new Workload(this.seed + 1, true),
				blocks(SPARE * this.jobs / 2), cluster);
				Traffic poisoned = Traffic.to(ResourcesFile.POISONED, new Workload(this.seed + 2),
						blocks(this.jobs / 10), cluster);
				VersionedTraffic versions = new VersionedTraffic(this.seed + 3, this.jobs, cluster)) {
			cluster.forbid(ResourceType.TOPIC, poisoned.evidence().deadLetterTopic(), AclOperation.WRITE);
			poisoned.strays().send(POISON);
			long seconds = CALM.plus(this.every.multipliedBy(Math.max(1, this.faults))).toSeconds();
			CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> versions.run(seconds),
					Thread::startVirtualThread);
			CompletableFuture<Void> watched = CompletableFuture.runAsync(versions::watch, Thread::startVirtualThread);
			return run(cluster, traffic, List.of(orders, poisoned), () -> {
				sent.get(30, TimeUnit.MINUTES);
				awaitNoLag(0, ResourcesFile.VERSIONED, versions.evidence());
				versions.endWatch();
				watched.get(2, TimeUnit.MINUTES);
				return versions.judge();
			});
		}
	}

	/**
	 * Runs, with the services warm.
	 * @param traffic the jobs, which faults aim at
	 * @param beside other resources, the last of which is poisoned
	 * @param versions awaits and judges a resource whose documents have versions
	 */
	private List<String> run(Cluster cluster, Traffic traffic, List<Traffic> beside, Callable<List<String>> versions)
			throws Exception {
		try (Watch watch = new Watch(cluster.servicePorts(), cluster.folder(), cluster.watcher(),
				(this.faults > 0) ? FASTER : FASTER_IN_QUIET, this.hasResources ? ResourcesFile.POISONED : "")) {
			say(0, "%d jobs, %d faults, seed %d, %s, %s, in %s", this.jobs, this.faults, this.seed,
					cluster.database.name(), this.isLocked ? "all locked" : "all open", cluster.folder());
			long start = System.nanoTime();
			long began = System.currentTimeMillis();
			long seconds = CALM.plus(this.every.multipliedBy(Math.max(1, this.faults))).toSeconds();
			CompletableFuture<Void> changed = CompletableFuture
				.runAsync(() -> changeContracts(start, seconds, cluster, watch), Thread::startVirtualThread);
			List<CompletableFuture<Void>> driven = Stream.concat(Stream.of(traffic), beside.stream())
				.map((one) -> CompletableFuture.runAsync(() -> drive(one, seconds, changed),
						Thread::startVirtualThread))
				.toList();
			Operator operator = new Operator(this.seed, traffic.strays(),
					cluster.kafkaToMongo.stream().map(cluster::port).toList(), cluster.operator());
			CompletableFuture<Void> operated = CompletableFuture.runAsync(operator::run, Thread::startVirtualThread);
			CompletableFuture<Void> told = CompletableFuture.runAsync(
					() -> tell(start, driven.getFirst(), cluster, traffic.history(), traffic.driver()),
					Thread::startVirtualThread);
			List<String> wrong = new ArrayList<>(strike(start, cluster, traffic, beside, watch));
			for (CompletableFuture<Void> one : driven) {
				one.get(30, TimeUnit.MINUTES);
			}
			changed.get(10, TimeUnit.MINUTES);
			long noLoad = System.currentTimeMillis();
			told.get(2, TimeUnit.MINUTES);
			operator.end();
			operated.get(2, TimeUnit.MINUTES);
			say(start, "all documents are sent and all faults healed");
			traffic.strays().acknowledged();
			awaitReady(start, cluster);
			traffic.driver().finish(this.jobs);
			for (Traffic one : beside) {
				one.driver().finish(one.documents());
			}
			operator.finish();
			awaitNoLag(start, traffic);
			for (Traffic one : beside) {
				heal(start, one, cluster, wrong);
				awaitNoLag(start, one);
			}
			List<String> wrongVersions = versions.call();
			if (this.faults > 0) {
				watch.note("the backlog", Faces.BACKLOG, Set.of(), noLoad, noLoad);
			}
			awaitShownDeadLetters(start, traffic);
			for (Traffic one : beside) {
				awaitShownDeadLetters(start, one);
			}
			watch.awaitCalm();
			watch.note("the load", Faces.LOAD, Set.of(), began, began);
			watch.note("no load", Faces.NO_LOAD, Set.of("load"), noLoad, noLoad);
			Attribution.Verdict seen = watch.judge();
			Oracle.Verdict verdict = traffic.judge();
			wrong.addAll(verdict.testimony());
			for (Traffic one : beside) {
				Oracle.Verdict other = one.judge();
				other.testimony().forEach((line) -> wrong.add(one.resource() + ": " + line));
				wrong.addAll(one.judgeUndecided());
				System.out.printf("%d %s: %s%n", one.documents(), one.resource(), other);
			}
			wrong.addAll(wrongVersions);
			wrong.addAll(operator.judge(traffic.evidence()));
			cluster.services()
				.forEach((service) -> requireFewSeries(start, cluster, service,
						MAX_SERIES + (beside.size() + 1) * MAX_SERIES_OF_RESOURCE, wrong));
			wrong.addAll(seen.testimony());
			cluster.ownEnds().forEach((name) -> wrong.add(name + " has ended by itself"));
			say(start, "%d records of the dead-letter topic repeat one of the same position", verdict.deadAgain());
			say(start, "%s", operator);
			say(start, "%d faults ended, or were hidden, before they had to be seen; the machine had no time %d times",
					seen.free(), watch.pauses());
			wrong.forEach(System.out::println);
			System.out.printf("%d jobs, %d faults, seed %d: %s, %s%s%n", this.jobs, this.faults, this.seed, verdict,
					seen, wrong.isEmpty() ? "" : " -- FAILED");
			return wrong;
		}
	}

	/** Sends what comes beside the jobs as long as contracts change. */
	private static void drive(Traffic traffic, long seconds, CompletableFuture<Void> changed) {
		if (traffic.workload().hasUndecided()) {
			traffic.runUntil(SPARE * seconds, changed::isDone);
		}
		else {
			traffic.run(seconds);
		}
	}

	/**
	 * The contract of the orders changes by two roll-outs, after a third of the time and
	 * after two thirds.
	 */
	private static void changeContracts(long start, long seconds, Cluster cluster, Watch watch) {
		ResourcesFile resources = cluster.resources;
		if (resources == null) {
			return;
		}
		List<Runnable> changes = List.of(resources::announceContract, resources::changeContract);
		try {
			for (int i = 0; i < changes.size(); i++) {
				sleepUntil(start + TimeUnit.SECONDS.toNanos(seconds * (i + 1) / 3));
				say(start, "change %d of the contract of the orders", i + 1);
				long began = System.currentTimeMillis();
				changes.get(i).run();
				cluster.rollOut();
				watch.note("change %d of a contract".formatted(i + 1), Faces.CONTRACT_CHANGED,
						Set.of("rest-to-kafka", "kafka-to-mongo"), began, began);
				say(start, "all services have read it");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/** Ends what holds up the poisoned resource, which must have held up all of it. */
	private static void heal(long start, Traffic traffic, Cluster cluster, List<String> wrong) throws Exception {
		if (traffic.resource().equals(ResourcesFile.POISONED)) {
			long lag = traffic.evidence().lag();
			say(start, "%d records of the poisoned resource wait", lag);
			if (lag == 0) {
				wrong.add("the poisoned resource has not waited");
			}
			cluster.forbidNothing(ResourceType.TOPIC, traffic.evidence().deadLetterTopic());
		}
	}

	private List<String> strike(long start, Cluster cluster, Traffic traffic, List<Traffic> beside, Watch watch)
			throws Exception {
		Duration longest = Duration.ofSeconds(Math.min(60, 4 * this.every.toSeconds()));
		List<List<Fault.Kind>> kinds = Fault.kinds(cluster, traffic.strays());
		List<Fault> plan = Fault.plan(this.seed, this.faults, this.every, longest, kinds);
		say(start, "%d of %d kinds of faults will strike", plan.stream().map(Fault::kind).distinct().count(),
				kinds.stream().mapToInt(List::size).sum());
		List<String> wrong = new CopyOnWriteArrayList<>();
		Map<String, Lock> parts = new ConcurrentHashMap<>();
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
			List<Future<?>> all = new ArrayList<>();
			for (int i = 0; i < plan.size(); i++) {
				Fault fault = plan.get(i);
				int number = i + 1;
				all.add(threads.submit(() -> {
					sleepUntil(start + CALM.plus(fault.at()).toNanos());
					// what strikes a part may take longer than it was planned
					List<Lock> struckParts = fault.kind()
						.strikes()
						.stream()
						.sorted()
						.map((part) -> parts.computeIfAbsent(part, (_) -> new ReentrantLock(true)))
						.toList();
					struckParts.forEach(Lock::lock);
					try {
						strike(start, number, fault, beside, watch, wrong);
					}
					finally {
						struckParts.forEach(Lock::unlock);
					}
					return null;
				}));
			}
			for (Future<?> fault : all) {
				fault.get();
			}
		}
		return wrong;
	}

	private static void strike(long start, int number, Fault fault, List<Traffic> beside, Watch watch,
			List<String> wrong) throws Exception {
		say(start, "fault %d: %s%s", number, fault.kind().name(),
				fault.lasts().isZero() ? "" : " for %.1f s".formatted(fault.lasts().toMillis() / 1000.0));
		if (!beside.isEmpty()) {
			beside.getLast().strays().send(POISON);
		}
		long began = System.currentTimeMillis();
		perform(fault.kind().strike(), fault, wrong);
		long struck = System.currentTimeMillis();
		sleepUntil(System.nanoTime() + fault.lasts().toNanos());
		perform(fault.kind().heal(), fault, wrong);
		watch.note("fault %d: %s".formatted(number, fault.kind().name()), fault.kind().face(), fault.kind().strikes(),
				began, struck);
	}

	private static void perform(Fault.Deed deed, Fault fault, List<String> wrong) {
		try {
			deed.run();
		}
		catch (Exception ex) {
			wrong.add("could not do '%s': %s".formatted(fault.kind().name(), ex));
		}
	}

	private static void sleepUntil(long nanoTime) throws InterruptedException {
		long nanos = nanoTime - System.nanoTime();
		if (nanos > 0) {
			TimeUnit.NANOSECONDS.sleep(nanos);
		}
	}

	/**
	 * Tells once in ten seconds how many jobs are settled, and once a minute what the
	 * services take of the machine.
	 */
	private void tell(long start, CompletableFuture<Void> driven, Cluster cluster, History history, Driver driver) {
		for (int i = 1; !driven.isDone(); i++) {
			try {
				driven.get(10, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
			catch (Exception ex) {
				// not done yet, or failed: who drives tells
			}
			say(start, "%d of %d jobs", history.settled(), this.jobs);
			if (i % 6 == 0) {
				say(start, "latency %s", driver.latencies());
				cluster.services().forEach((service) -> say(start, "%s: %s", service.name(), resources(service)));
			}
		}
	}

	private static String resources(Child service) {
		Path proc = Path.of("/proc", Long.toString(service.handle().pid()));
		try (Stream<Path> descriptors = Files.list(proc.resolve("fd"));
				Stream<String> status = Files.lines(proc.resolve("status"))) {
			List<String> lines = status.filter((line) -> line.matches("(VmRSS|Threads):.*"))
				.map((line) -> line.replaceAll("\\s+", " "))
				.toList();
			return "%s, %d descriptors, pid %d".formatted(String.join(", ", lines), descriptors.count(),
					service.handle().pid());
		}
		catch (IOException ex) {
			return "away";
		}
	}

	private static void awaitReady(long start, Cluster cluster) throws Exception {
		for (Child service : cluster.services()) {
			await(HEALED_LIMIT, "%s is not ready".formatted(service.name()),
					() -> service.isAlive() && cluster.isReady(service));
		}
		say(start, "all services are ready");
	}

	private static void awaitNoLag(long start, Traffic traffic) throws Exception {
		awaitNoLag(start, traffic.resource(), traffic.evidence());
	}

	private static void awaitNoLag(long start, String resource, Evidence evidence) throws Exception {
		long[] told = { Long.MAX_VALUE };
		await(LAG_LIMIT, "the lag of %s is not 0".formatted(resource), () -> {
			long lag = unchecked(evidence::lag);
			if (lag != told[0]) {
				told[0] = lag;
				say(start, "lag %d of %s", lag, resource);
			}
			return lag == 0;
		});
	}

	/**
	 * Each record of the dead-letter topic becomes a document, too.
	 */
	private static void awaitShownDeadLetters(long start, Traffic traffic) throws Exception {
		await(LAG_LIMIT, "dead letters of %s are missing in MongoDB".formatted(traffic.resource()),
				traffic::isEachDeadLetterShown);
		say(start, "all dead letters of %s are documents, too", traffic.resource());
	}

	/**
	 * No label of a metric grows with what happens.
	 */
	private static void requireFewSeries(long start, Cluster cluster, Child service, int most, List<String> wrong) {
		try {
			long series = cluster.metricSeries(service);
			say(start, "%s: %d metric series", service.name(), series);
			if (series > most) {
				wrong.add("%s has %d metric series".formatted(service.name(), series));
			}
		}
		catch (IOException ex) {
			wrong.add("%s tells no metrics: %s".formatted(service.name(), ex));
		}
	}

	private static <T> T unchecked(Callable<T> call) {
		try {
			return call.call();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void await(Duration limit, String otherwise, BooleanSupplier condition) throws InterruptedException {
		long start = System.nanoTime();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - start > limit.toNanos()) {
				throw new AssertionError("%s after %d s".formatted(otherwise, limit.toSeconds()));
			}
			Thread.sleep(1000);
		}
	}

	private static void say(long start, String format, Object... values) {
		long seconds = (start == 0) ? 0 : TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
		System.out.printf("%4d s  %s%n", seconds, format.formatted(values));
	}

}
