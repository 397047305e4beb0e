package jobs.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jobs.benchmarks.Chain.Seen;
import jobs.benchmarks.PostLoad.Outcome;
import jobs.benchmarks.Results.Work;
import jobs.benchmarks.Session.Step;
import jobs.benchmarks.Session.WarmUp;
import jobs.localstack.Child;

/**
 * A pair with several resources: its memory beside that of several pairs, and what those
 * who post notice of a resource whose batch waits for ever, and of a contract that is
 * tried.
 */
final class ResourceRows {

	/** Warm-ups that share the time of one of the other parts. */
	static final int WARM_UPS = 7;

	private static final List<String> FIVE = List.of(Resources.JOBS, "orders", "events", "invoices", "tickets");

	private static final List<String> POSTED = List.of(Resources.JOBS, "orders");

	private static final String WAITING = "events";

	private static final List<String> ALL = List.of(Resources.JOBS, "orders", WAITING);

	private static final String PAIRS = "five pairs with a resource each";

	private static final String UNDISTURBED = "undisturbed";

	private static final int FEW_ROUNDS = 2;

	/** Seconds at most between tries of a batch, by itself. */
	private static final double LONGEST_PAUSE = 10;

	/** Jobs/s that leave half of two cores idle. */
	private static final double LIGHT = 500;

	private static final double WARM_UP_RATE = 2_000;

	private static final Duration WARM_UP = Duration.ofSeconds(3);

	private static final Duration LIMIT = Duration.ofSeconds(60);

	/** What no record with a reason is as small as. */
	private static final int NOTHING = 1;

	private static final int PLENTY = 1024 * 1024;

	/** More take a stand-in of MongoDB longer than a query may. */
	private static final int TRIED = 20_000;

	private static final String TRIED_DATABASE = "trial";

	private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	private static final Pattern PROGRESS = Pattern.compile("Reading .* %, [1-9]");

	private final Session session;

	private final Stage stage;

	private final Feed feed;

	private final Postings postings;

	private final Path root;

	private final Path jobs;

	private boolean waits;

	private int trials;

	ResourceRows(Session session, Stage stage, Feed feed, Postings postings, Path root, Path jobs) {
		this.session = session;
		this.stage = stage;
		this.feed = feed;
		this.postings = postings;
		this.root = root;
		this.jobs = jobs;
	}

	/** Measures, and ends all that it has started. */
	void measure() throws Exception {
		new ContractRows(this.session, this.stage, this.feed, this.postings, this.root, this.jobs).measure();
		measureMemory();
		Contestants version = version(" three");
		Resources resources = new Resources(version.topic(), ALL);
		Chain chain = start(version, resources);
		this.session.warmUp(List.of(new WarmUp("both services with three resources", chain.sink().process(), () -> {
			long before = chain.sink().hole().count();
			Outcome many = chain.load().closed(HttpRows.CONNECTIONS, WARM_UP);
			// else they are taken for jobs of the next load
			require(chain.sink().await(before + many.answered(), LIMIT), chain);
			chain.run(HttpRows.CONNECTIONS, WARM_UP_RATE, WARM_UP, false);
			clear(resources);
		})), this.session.plan().warmUpLimit().dividedBy(WARM_UPS));
		// to wait is other code to the compiler
		setWaits(version, resources, chain, true);
		chain.run(HttpRows.CONNECTIONS, WARM_UP_RATE, WARM_UP, false);
		setWaits(version, resources, chain, false);
		clear(resources);
		Work capacity = this.session.work(
				"Isolation: POST to two of three resources, %d connections, and stored".formatted(HttpRows.CONNECTIONS),
				"jobs/s", null);
		ChainRows chains = new ChainRows(this.session, this.feed);
		this.session.rounds(capacity, FEW_ROUNDS, List.of(() -> {
			String told = chains.measureCapacity(capacity, chain);
			clear(resources);
			return told;
		}));
		double half = capacity.of(chain.who()).median() / 2;
		// at half load each job that comes at its time costs more, and nothing is left of
		// the machine
		List<Double> rates = List.of(half, LIGHT);
		measureIsolation(version, resources, chain, rates);
		measureTrial(version, resources, chain, rates);
		end(chain);
	}

	private void measureMemory() throws Exception {
		Work work = this.session.work(
				"Memory after an upload of %,d jobs to each resource".formatted(this.session.plan().upload()), "MiB",
				PAIRS);
		Contestants one = version(" one");
		Contestants five = version(" five");
		this.session.rounds(work, FEW_ROUNDS, List.of(
				() -> memory(work, PAIRS, FIVE.size(), one, new Resources(one.topic(), List.of(Resources.JOBS))),
				() -> memory(work, "one pair with five resources", 1, five, new Resources(five.topic(), FIVE))));
	}

	private String memory(Work work, String who, int pairs, Contestants version, Resources resources) throws Exception {
		Chain chain = start(version, resources);
		int jobs = this.session.plan().upload();
		try (ExecutorService threads = Executors.newCachedThreadPool()) {
			List<Callable<Duration>> uploads = resources.names()
				.stream()
				.<Callable<Duration>>map(
						(name) -> () -> UploadLoad.run(version.restPort(), "/" + name, this.postings, jobs))
				.toList();
			for (Future<Duration> upload : threads.invokeAll(uploads)) {
				upload.get();
			}
		}
		require(chain.sink().await((long) jobs * uploads(resources), LIMIT), chain);
		double rest = Usage.peakMebibytes(chain.front());
		double store = Usage.peakMebibytes(chain.sink().process());
		end(chain);
		clear(resources);
		work.add(who, pairs * (rest + store), Double.NaN, pairs * (rest + store));
		return "%s %d times %.0f MiB of %s and %.0f MiB of %s".formatted(who, pairs, rest, Contestants.REST, store,
				Contestants.STORE);
	}

	private static int uploads(Resources resources) {
		return resources.names().size();
	}

	private void measureIsolation(Contestants version, Resources resources, Chain chain, List<Double> rates)
			throws Exception {
		List<Rows> rows = rows("Isolation: POST to two of three resources", rates);
		rounds(rows, List.of(() -> {
			setWaits(version, resources, chain, false);
			return measure(rows, UNDISTURBED, resources, chain);
		}, () -> {
			setWaits(version, resources, chain, true);
			return measure(rows, "the third one waits", resources, chain);
		}));
		setWaits(version, resources, chain, false);
	}

	/**
	 * Has the batch of a resource wait, since its dead letter has no place, until its
	 * pauses no longer grow; or has it go on.
	 */
	private void setWaits(Contestants version, Resources resources, Chain chain, boolean waits) throws Exception {
		if (waits == this.waits) {
			return;
		}
		this.waits = waits;
		String topic = resources.topicOf(WAITING);
		long before = chain.sink().hole().count();
		this.feed.bound(topic + "-dlt", waits ? NOTHING : PLENTY);
		if (waits) {
			this.feed.append(topic, "no JSON");
		}
		double pause = waits ? LONGEST_PAUSE : 0;
		chain.sink()
			.process()
			.awaitReady(() -> this.stage.answers(version.storePort(), "/actuator/prometheus",
					(metrics) -> pause(metrics, WAITING) == pause), LIMIT);
		// else the dead letter counts as a job of the next round
		require(waits || chain.sink().await(before + 1, LIMIT), chain);
	}

	/**
	 * The seconds between tries of a resource's batch, by the metrics of kafka-to-mongo.
	 */
	static double pause(String metrics, String resource) {
		Matcher backOff = Pattern
			.compile("^jobs_back_off_seconds\\{[^}]*resource=\"%s\"[^}]*} (\\S+)$".formatted(resource),
					Pattern.MULTILINE)
			.matcher(metrics);
		if (!backOff.find()) {
			throw new IllegalStateException("There is no jobs_back_off_seconds of '%s'".formatted(resource));
		}
		return Double.parseDouble(backOff.group(1));
	}

	private void measureTrial(Contestants version, Resources resources, Chain chain, List<Double> rates)
			throws Exception {
		if (this.stage.database() == 0) {
			this.session.note("There was no mongod on the PATH: the rows of try-contract are missing.");
			return;
		}
		this.session.say("Filling the database");
		new Database(this.stage.database()).fill(TRIED_DATABASE, this.postings, TRIED);
		List<Rows> rows = rows("Trial: POST", rates);
		rounds(rows, List.of(() -> measure(rows, UNDISTURBED, resources, chain),
				() -> measureBesideTrials(version, rows, resources, chain)));
	}

	/** One trial after the other, since one may take less than a round. */
	private String measureBesideTrials(Contestants version, List<Rows> rows, Resources resources, Chain chain)
			throws Exception {
		AtomicBoolean isOver = new AtomicBoolean();
		Child first = tryContract(version);
		first.awaitReady(() -> reads(first.log()), LIMIT);
		try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
			Future<Integer> trials = thread.submit(() -> {
				Child trial = first;
				int count = 1;
				for (; !isOver.get(); LockSupport.parkNanos(NAP_NANOS)) {
					if (!trial.isAlive()) {
						this.stage.end(trial);
						trial = tryContract(version);
						count++;
					}
				}
				this.stage.end(trial);
				return count;
			});
			try {
				String told = measure(rows, "beside try-contract", resources, chain);
				isOver.set(true);
				return "%s; %d trials".formatted(told, trials.get());
			}
			finally {
				isOver.set(true);
			}
		}
	}

	private Child tryContract(Contestants version) throws IOException {
		return this.stage.launch(version.trial(Resources.contract(this.root),
				"mongodb://127.0.0.1:%d/%s".formatted(this.stage.database(), TRIED_DATABASE),
				this.stage.log("try-contract-" + ++this.trials)));
	}

	/** Whether a trial has read a document. */
	private static boolean reads(Path log) {
		try {
			return PROGRESS.matcher(Files.readString(log)).find();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void rounds(List<Rows> rows, List<Step> steps) throws Exception {
		this.session.rounds(rows.getFirst().stored().median(), this.session.plan().rounds(), steps);
	}

	private List<Rows> rows(String name, List<Double> rates) {
		return rates.stream()
			.map((rate) -> new Rows(rate,
					Latencies.of(this.session, "%s, %,.0f jobs/s".formatted(name, rate), UNDISTURBED),
					Latencies.of(this.session, "%s to black hole, %,.0f jobs/s".formatted(name, rate), UNDISTURBED)))
			.toList();
	}

	private String measure(List<Rows> all, String who, Resources resources, Chain chain) throws Exception {
		List<String> told = new ArrayList<>();
		for (Rows rows : all) {
			Usage usage = Usage.of(chain.processes());
			Seen seen = chain.run(HttpRows.CONNECTIONS, rows.rate(), this.session.plan().load().dividedBy(2), false);
			double cpu = Usage.of(chain.processes()).microsSince(usage) / seen.outcome().answered();
			double mebibytes = chain.processes().stream().mapToDouble(Usage::peakMebibytes).sum();
			seen.noteFailures(this.session, rows.stored().median().name(), who);
			clear(resources);
			told.add(rows.answered().add(who, seen.outcome().latencies(), cpu, mebibytes));
			told.add("stored " + rows.stored().add(who, seen.latencies(), cpu, mebibytes));
		}
		return String.join("; ", told);
	}

	private Contestants version(String suffix) throws IOException {
		return new Contestants(this.stage, this.root, suffix, this.jobs);
	}

	private Chain start(Contestants version, Resources resources) throws Exception {
		for (String topic : resources.topics()) {
			this.feed.create(topic);
			this.feed.create(topic + "-dlt");
		}
		Map<String, String> settings = resources.write(this.root, this.stage.folder().resolve("resources"));
		Child rest = this.stage.launch(version.rest(version.restPort(), settings));
		Sink sink = version.store(version.storePort(), new BlackHole(this.stage.database()), settings);
		this.stage.launch(sink.process());
		this.stage.awaitReady(rest, version.restPort());
		this.stage.awaitReady(sink.process(), version.storePort());
		List<String> paths = new ArrayList<>(POSTED);
		paths.retainAll(resources.names());
		return new Chain(Contestants.BOTH, rest,
				new PostLoad(version.restPort(), this.postings, paths.stream().map((name) -> "/" + name).toList()),
				sink);
	}

	private void end(Chain chain) {
		this.stage.end(chain.front());
		chain.sink().end(this.stage);
	}

	/** All but the record that waits. */
	private void clear(Resources resources) throws Exception {
		for (String name : resources.names()) {
			if (!name.equals(WAITING) || !this.waits) {
				this.feed.clear(resources.topicOf(name));
			}
		}
	}

	private static void require(boolean isDone, Chain chain) {
		if (!isDone) {
			throw new IllegalStateException(
					"%s has not stored what it took: see %s".formatted(chain.who(), chain.sink().process().log()));
		}
	}

	/**
	 * The rows of one disturbance.
	 *
	 * @param rate jobs per second
	 * @param answered times from when a job was due until its answer
	 * @param stored times until it was stored
	 */
	private record Rows(double rate, Latencies answered, Latencies stored) {

	}

}
