package jobs.endtoend.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import jobs.endtoend.judge.Oracle;
import jobs.endtoend.load.Driver;
import jobs.endtoend.load.History;
import jobs.endtoend.load.Operator;
import jobs.endtoend.load.Strays;
import jobs.endtoend.load.Workload;
import jobs.endtoend.pair.Evidence;
import jobs.endtoend.pair.Proxy;
import jobs.endtoend.seen.Attribution;
import jobs.endtoend.seen.Faces;
import jobs.endtoend.seen.Watch;
import jobs.localstack.Child;

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
 */
record Chaos(int jobs, int faults, Duration every, long seed, boolean isLocked) {

	private static final Duration HEALED_LIMIT = Duration.ofSeconds(120);

	private static final Duration LAG_LIMIT = Duration.ofMinutes(20);

	private static final int MAX_SERIES = 300;

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

	Chaos {
		jobs = Math.ceilDiv(jobs, Workload.BLOCK) * Workload.BLOCK;
	}

	/**
	 * Runs, telling on the console how it goes.
	 * @return what was wrong, empty when all was well
	 */
	List<String> run() throws Exception {
		Workload workload = new Workload(this.seed);
		History history = new History(this.jobs);
		try (Cluster cluster = new Cluster(this.isLocked).start();
				Strays strays = new Strays(cluster.evidence.kafka(), Cluster.TOPIC)) {
			Driver driver = new Driver(workload, history, cluster.clientProxies.stream().map(Proxy::port).toList(),
					cluster.driver());
			strays.send(STRAYS);
			driver.run(Math.min(WARM_UP, this.jobs), WARM_UP_PER_SECOND);
			awaitNoLag(0, cluster);
			return run(workload, history, cluster, strays, driver);
		}
	}

	private List<String> run(Workload workload, History history, Cluster cluster, Strays strays, Driver driver)
			throws Exception {
		try (Watch watch = new Watch(cluster.servicePorts(), cluster.folder(), cluster.watcher(),
				(this.faults > 0) ? FASTER : FASTER_IN_QUIET)) {
			say(0, "%d jobs, %d faults, seed %d, %s, %s, in %s", this.jobs, this.faults, this.seed,
					cluster.database.name(), this.isLocked ? "all locked" : "all open", cluster.folder());
			long start = System.nanoTime();
			long began = System.currentTimeMillis();
			double perSecond = Math.max(0, this.jobs - WARM_UP)
					/ (double) CALM.plus(this.every.multipliedBy(Math.max(1, this.faults))).toSeconds();
			CompletableFuture<Void> driven = CompletableFuture.runAsync(() -> driver.run(this.jobs, perSecond),
					Thread::startVirtualThread);
			Operator operator = new Operator(this.seed, strays,
					cluster.kafkaToMongo.stream().map(cluster::port).toList(), cluster.operator());
			CompletableFuture<Void> operated = CompletableFuture.runAsync(operator::run, Thread::startVirtualThread);
			CompletableFuture<Void> told = CompletableFuture
				.runAsync(() -> tell(start, driven, cluster, history, driver), Thread::startVirtualThread);
			List<String> wrong = new ArrayList<>(strike(start, cluster, strays, watch));
			driven.get(30, TimeUnit.MINUTES);
			long noLoad = System.currentTimeMillis();
			told.get(2, TimeUnit.MINUTES);
			operator.end();
			operated.get(2, TimeUnit.MINUTES);
			say(start, "all jobs are sent and all faults healed");
			strays.acknowledged();
			awaitReady(start, cluster);
			driver.finish(this.jobs);
			operator.finish();
			awaitNoLag(start, cluster);
			if (this.faults > 0) {
				watch.note("the backlog", Faces.BACKLOG, Set.of(), noLoad, noLoad);
			}
			awaitShownDeadLetters(start, cluster);
			watch.awaitCalm();
			watch.note("the load", Faces.LOAD, Set.of(), began, began);
			watch.note("no load", Faces.NO_LOAD, Set.of("load"), noLoad, noLoad);
			Attribution.Verdict seen = watch.judge();
			Oracle.Verdict verdict = Oracle.judge(workload, history, strays, cluster.evidence);
			wrong.addAll(verdict.testimony());
			wrong.addAll(operator.judge(cluster.evidence));
			cluster.services().forEach((service) -> requireFewSeries(start, cluster, service, wrong));
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

	private List<String> strike(long start, Cluster cluster, Strays strays, Watch watch) throws Exception {
		Duration longest = Duration.ofSeconds(Math.min(60, 4 * this.every.toSeconds()));
		List<List<Fault.Kind>> kinds = Fault.kinds(cluster, strays);
		List<Fault> plan = Fault.plan(this.seed, this.faults, this.every, longest, kinds);
		say(start, "%d of %d kinds of faults will strike", plan.stream().map(Fault::kind).distinct().count(),
				kinds.stream().mapToInt(List::size).sum());
		List<String> wrong = new CopyOnWriteArrayList<>();
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
			List<Future<?>> all = new ArrayList<>();
			for (int i = 0; i < plan.size(); i++) {
				Fault fault = plan.get(i);
				int number = i + 1;
				all.add(threads.submit(() -> {
					sleepUntil(start + CALM.plus(fault.at()).toNanos());
					say(start, "fault %d: %s%s", number, fault.kind().name(),
							fault.lasts().isZero() ? "" : " for %.1f s".formatted(fault.lasts().toMillis() / 1000.0));
					long began = System.currentTimeMillis();
					perform(fault.kind().strike(), fault, wrong);
					long struck = System.currentTimeMillis();
					sleepUntil(System.nanoTime() + fault.lasts().toNanos());
					perform(fault.kind().heal(), fault, wrong);
					watch.note("fault %d: %s".formatted(number, fault.kind().name()), fault.kind().face(),
							fault.kind().strikes(), began, struck);
					return null;
				}));
			}
			for (Future<?> fault : all) {
				fault.get();
			}
		}
		return wrong;
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

	private static void awaitNoLag(long start, Cluster cluster) throws Exception {
		long[] told = { Long.MAX_VALUE };
		await(LAG_LIMIT, "the lag is not 0", () -> {
			long lag = unchecked(cluster.evidence::lag);
			if (lag != told[0]) {
				told[0] = lag;
				say(start, "lag %d", lag);
			}
			return lag == 0;
		});
	}

	/**
	 * Each record of the dead-letter topic becomes a document, too.
	 */
	private static void awaitShownDeadLetters(long start, Cluster cluster) throws Exception {
		Set<String> positions = new HashSet<>();
		cluster.evidence.forEachDeadLetter((record) -> positions
			.add(Evidence.header(record, "dlt-original-topic") + "#" + Evidence.position(record)));
		await(LAG_LIMIT, "dead letters are missing in MongoDB",
				() -> cluster.shownDeadLetters().containsAll(positions));
		say(start, "%d dead letters are documents, too", positions.size());
	}

	/**
	 * No label of a metric grows with what happens.
	 */
	private static void requireFewSeries(long start, Cluster cluster, Child service, List<String> wrong) {
		try {
			long series = cluster.metricSeries(service);
			say(start, "%s: %d metric series", service.name(), series);
			if (series > MAX_SERIES) {
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
