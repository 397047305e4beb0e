package jobs.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import jobs.benchmarks.PostLoad.Outcome;
import jobs.benchmarks.Results.Work;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import org.HdrHistogram.Histogram;

/**
 * The command behind {@code ./benchmark}: starts all that is measured, warms it up,
 * measures it in turn, and reports.
 */
final class Benchmark implements AutoCloseable {

	private static final int CONNECTIONS = 64;

	private static final String REST = "rest-to-kafka";

	private static final String STORE = "kafka-to-mongo";

	private static final String PAIR = "both services";

	private static final String SERVLET = "bare servlet";

	private static final String PRODUCER = "producer loop";

	private static final String LOOP = "raw loop";

	private static final String FLOORS = "servlet and loop";

	private static final Duration NO_LIMIT = Duration.ofMinutes(3);

	private final long start = System.nanoTime();

	private final Results results = new Results();

	private final List<String> notes = new ArrayList<>();

	private final HttpClient http = HttpClient.newHttpClient();

	private final Plan plan;

	private final Postings postings;

	private final Stage stage;

	private final Feed feed;

	private final int restPort = Ports.free();

	private final int servletPort = Ports.free();

	private final int storePort = Ports.free();

	private Benchmark(Plan plan, Path root, Path jobs) throws IOException {
		this.plan = plan;
		this.postings = Postings.read(jobs);
		say("Starting Kafka" + ((Child.onPath("mongod") != null) ? " and " + Child.onPath("mongod") : ""));
		this.stage = new Stage(root);
		this.feed = new Feed(this.stage.kafka(), this.postings);
	}

	/**
	 * Measures.
	 * @param args {@code --quick} and {@code --jobs FILE}, or nothing
	 */
	static void main(String[] args) throws Exception {
		Path root = Path.of("").toAbsolutePath();
		List<String> options = List.of(args);
		boolean quick = options.contains("--quick");
		int file = options.indexOf("--jobs") + 1;
		Path jobs = root.resolve((file > 0) ? options.get(file) : "end-to-end/src/test/resources/job-postings.ndjson");
		try (Benchmark benchmark = new Benchmark(quick ? Plan.QUICK : Plan.FULL, root, jobs)) {
			benchmark.measure(jobs);
			Machine machine = Machine.describe(benchmark.stage.database());
			benchmark.say("Done");
			new Report(benchmark.results, machine, benchmark.notes, quick).write(root);
		}
		// some client's thread may be left
		System.exit(0);
	}

	private void measure(Path jobs) throws Exception {
		this.notes.add("Jobs: lines of %s over and over, %.0f bytes in the mean, each with a number of its own."
			.formatted(jobs.getFileName(), this.postings.meanBytes()));
		this.feed.create("jobs");
		this.feed.create("floor");
		Child rest = this.stage.launch(rest());
		Child servlet = this.stage.launch(servlet(jobs));
		this.stage.awaitReady(rest, this.restPort);
		this.stage.awaitListening(servlet, this.servletPort);
		double half = measureHttp(rest, servlet);
		List<Sink> sinks = new ArrayList<>();
		try {
			startSinks(sinks);
			measureSinks(sinks);
			measureChain(rest, servlet, sinks.get(0), sinks.get(1), half);
			for (Sink rival : List.copyOf(sinks.subList(1, sinks.size()))) {
				end(rival);
				sinks.remove(rival);
			}
			measureGrowth(sinks.getFirst());
		}
		finally {
			sinks.forEach(this::end);
		}
		this.stage.end(rest);
		this.stage.end(servlet);
		measureStarts(jobs);
	}

	private Child rest() throws IOException {
		return this.stage.service(REST, this.restPort, Map.of("REST_TO_KAFKA_TOPIC", "jobs"));
	}

	private Child servlet(Path jobs) throws IOException {
		return this.stage.floor(RawServlet.class, Integer.toString(this.servletPort), this.stage.kafka(), "floor",
				jobs.toString());
	}

	private Child store(BlackHole hole) throws IOException {
		return this.stage.service(STORE, this.storePort, Map.of("KAFKA_TO_MONGO_TOPIC", "jobs",
				"KAFKA_TO_MONGO_DEAD_LETTER_TOPIC", "jobs-dlt", "SPRING_MONGODB_URI", hole.address() + "/db"));
	}

	/**
	 * Measures the rows of HTTP.
	 * @return half of the jobs per second that rest-to-kafka takes
	 */
	private double measureHttp(Child rest, Child servlet) throws Exception {
		PostLoad toRest = new PostLoad(this.restPort, this.postings);
		PostLoad toServlet = new PostLoad(this.servletPort, this.postings);
		warmUp(REST, rest, () -> {
			toRest.closed(CONNECTIONS, Duration.ofSeconds(2));
			UploadLoad.run(this.restPort, this.postings, this.plan.upload() / 4);
		});
		warmUp(SERVLET, servlet, () -> {
			toServlet.closed(CONNECTIONS, Duration.ofSeconds(2));
			produce(this.plan.upload() / 4);
		});
		clearTopics();
		for (int connections : List.of(CONNECTIONS, 1)) {
			Work work = this.results.work("POST, %d connection%s".formatted(connections, (connections > 1) ? "s" : ""),
					"jobs/s", SERVLET);
			rounds(work, this.plan.rounds(), List.of(() -> closed(work, REST, rest, toRest, connections),
					() -> closed(work, SERVLET, servlet, toServlet, connections)));
		}
		double half = this.results.work("POST, 64 connections", "jobs/s", SERVLET).of(REST).median() / 2;
		Work middle = this.results.work("POST at half load (%,.0f jobs/s), p50".formatted(half), "ms", SERVLET);
		Work tail = this.results.work("POST at half load (%,.0f jobs/s), p99".formatted(half), "ms", SERVLET);
		rounds(middle, this.plan.rounds(), List.of(() -> open(middle, tail, REST, rest, toRest, half),
				() -> open(middle, tail, SERVLET, servlet, toServlet, half)));
		Work upload = this.results.work("NDJSON upload of %,d jobs".formatted(this.plan.upload()), "jobs/s", PRODUCER);
		rounds(upload, this.plan.rounds(),
				List.of(() -> upload(upload, REST, rest,
						() -> UploadLoad.run(this.restPort, this.postings, this.plan.upload())),
						() -> upload(upload, PRODUCER, servlet, () -> produce(this.plan.upload()))));
		Work memory = this.results.work("Memory under these loads, POST", "MiB", SERVLET);
		memory.add(REST, Usage.peakMebibytes(rest), Double.NaN, Double.NaN);
		memory.add(SERVLET, Usage.peakMebibytes(servlet), Double.NaN, Double.NaN);
		return half;
	}

	private String closed(Work work, String who, Child process, PostLoad load, int connections) throws Exception {
		Usage usage = Usage.of(List.of(process));
		Outcome outcome = load.closed(connections, this.plan.load());
		double cpu = Usage.of(List.of(process)).microsSince(usage) / outcome.answered();
		work.add(who, outcome.perSecond(), cpu, Usage.peakMebibytes(process));
		noteFailures(work, who, outcome);
		clearTopics();
		return "%s %,.0f jobs/s, %.0f us of CPU each".formatted(who, outcome.perSecond(), cpu);
	}

	private String open(Work middle, Work tail, String who, Child process, PostLoad load, double rate)
			throws Exception {
		Usage usage = Usage.of(List.of(process));
		Outcome outcome = load.open(CONNECTIONS, rate, this.plan.load(), new long[0]);
		double cpu = Usage.of(List.of(process)).microsSince(usage) / outcome.answered();
		addLatencies(middle, tail, who, outcome.latencies(), cpu, Usage.peakMebibytes(process));
		noteFailures(middle, who, outcome);
		clearTopics();
		return told(who, outcome.latencies());
	}

	private static void addLatencies(Work middle, Work tail, String who, Histogram latencies, double cpu,
			double mebibytes) {
		middle.add(who, latencies.getValueAtPercentile(50) / 1000.0, cpu, mebibytes);
		tail.add(who, latencies.getValueAtPercentile(99) / 1000.0, cpu, mebibytes);
	}

	private static String told(String who, Histogram latencies) {
		return "%s p50 %.2f ms, p99 %.2f ms, most %.2f ms".formatted(who, latencies.getValueAtPercentile(50) / 1000.0,
				latencies.getValueAtPercentile(99) / 1000.0, latencies.getMaxValue() / 1000.0);
	}

	private void noteFailures(Work work, String who, Outcome outcome) {
		if (outcome.failed() > 0) {
			this.notes.add("%s, %s: %,d jobs had another answer than 202, or none.".formatted(work.name(), who,
					outcome.failed()));
		}
	}

	private String upload(Work work, String who, Child process, Upload upload) throws Exception {
		Usage usage = Usage.of(List.of(process));
		double perSecond = this.plan.upload() / (upload.run().toNanos() / 1e9);
		double cpu = Usage.of(List.of(process)).microsSince(usage) / this.plan.upload();
		work.add(who, perSecond, cpu, Usage.peakMebibytes(process));
		clearTopics();
		return "%s %,.0f jobs/s, %.1f us of CPU each".formatted(who, perSecond, cpu);
	}

	private Duration produce(int jobs) throws IOException {
		long start = System.nanoTime();
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:%d/loop?jobs=%d".formatted(this.servletPort, jobs)))
			.timeout(NO_LIMIT)
			.POST(BodyPublishers.noBody())
			.build();
		try {
			if (this.http.send(request, BodyHandlers.discarding()).statusCode() != 202) {
				throw new IOException("The producer loop has failed");
			}
			return Duration.ofNanos(System.nanoTime() - start);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	private void clearTopics() throws Exception {
		this.feed.clear("jobs");
		this.feed.clear("floor");
	}

	/**
	 * Starts the service, its floor and its rivals one after the other, and times each
	 * until its first document.
	 */
	private void startSinks(List<Sink> sinks) throws Exception {
		Work first = this.results.work("Start to the first document, cold", "s", LOOP);
		int database = this.stage.database();
		BlackHole hole = new BlackHole(database);
		startSink(first, sinks, new Sink(STORE, store(hole), "jobs", "db", hole));
		hole = new BlackHole(database);
		startSink(first, sinks,
				new Sink(LOOP, this.stage.floor(RawLoop.class, this.stage.kafka(), "floor", hole.address() + "/raw"),
						"floor", "raw", hole));
		for (Map.Entry<String, Map<String, String>> rival : rivals().entrySet()) {
			String name = "connector-" + (sinks.size() - 1);
			this.feed.create(name);
			hole = new BlackHole(database);
			Map<String, String> settings = new LinkedHashMap<>(rival.getValue());
			settings.put("topics", name);
			settings.put("connection.uri", hole.address() + "/?w=majority");
			startSink(first, sinks,
					new Sink("connector, " + rival.getKey(), this.stage.connector(name, settings), name, name, hole));
		}
	}

	private void startSink(Work first, List<Sink> sinks, Sink sink) throws Exception {
		this.feed.fill(sink.topic(), 1);
		long start = System.nanoTime();
		this.stage.launch(sink.process());
		sinks.add(sink);
		if (!sink.await(1, Duration.ofSeconds(90))) {
			throw new IllegalStateException(
					"%s has stored nothing after 90 s: see %s".formatted(sink.who(), sink.process().log()));
		}
		double seconds = (System.nanoTime() - start) / 1e9;
		first.add(sink.who(), seconds, Double.NaN, Double.NaN);
		say("%s: %s %.1f s".formatted(first.name(), sink.who(), seconds));
		this.feed.clear(sink.topic());
	}

	/**
	 * MongoDB's connector as it comes, and as well as its settings allow: with the
	 * record's key as {@code _id}, unordered inserts, the same batches as the service,
	 * and dead letters.
	 */
	private static Map<String, Map<String, String>> rivals() {
		Map<String, String> best = Map.ofEntries(Map.entry("bulk.write.ordered", "false"),
				Map.entry("writemodel.strategy",
						"com.mongodb.kafka.connect.sink.writemodel.strategy.InsertOneDefaultStrategy"),
				Map.entry("document.id.strategy",
						"com.mongodb.kafka.connect.sink.processor.id.strategy.ProvidedInKeyStrategy"),
				Map.entry("transforms", "id"),
				Map.entry("transforms.id.type", "org.apache.kafka.connect.transforms.HoistField$Key"),
				Map.entry("transforms.id.field", "_id"), Map.entry("consumer.override.max.poll.records", "2000"),
				Map.entry("errors.tolerance", "all"), Map.entry("errors.deadletterqueue.topic.name", "connector-dlt"),
				Map.entry("errors.deadletterqueue.topic.replication.factor", "1"));
		Map<String, String> four = new LinkedHashMap<>(best);
		four.put("tasks.max", "4");
		Map<String, Map<String, String>> rivals = new LinkedHashMap<>();
		rivals.put("defaults", Map.of());
		rivals.put("unordered inserts", best);
		rivals.put("unordered inserts, 4 tasks", four);
		return rivals;
	}

	private void measureSinks(List<Sink> sinks) throws Exception {
		for (Sink sink : sinks) {
			warmUp(sink.who(), sink.process(), () -> sink.drain(this.feed, this.plan.backlog() / 2, false, NO_LIMIT));
		}
		Work forgotten = this.results.work("Topic to black hole, backlog of %,d".formatted(this.plan.backlog()),
				"jobs/s", LOOP);
		rounds(forgotten, this.plan.rounds(),
				sinks.stream()
					.<Step>map((sink) -> () -> drain(forgotten, sink, sink.who(), this.plan.backlog(), false))
					.toList());
		if (this.stage.database() == 0) {
			this.notes.add("There was no mongod on the PATH: all rows against a durable database are missing.");
		}
		else {
			Work stored = this.results.work("Topic to mongod, up to %,d of a backlog within %d s"
				.formatted(this.plan.stored(), this.plan.storedLimit().toSeconds()), "jobs/s", LOOP);
			rounds(stored, this.plan.rounds(), sinks.stream().<Step>map((sink) -> () -> {
				new Database(this.stage.database()).empty(sink.database());
				return drain(stored, sink, sink.who(), this.plan.stored(), true);
			}).toList());
		}
		Work memory = this.results.work("Memory under these loads, topic to database", "MiB", LOOP);
		sinks.forEach((sink) -> memory.add(sink.who(), Usage.peakMebibytes(sink.process()), Double.NaN, Double.NaN));
	}

	private String drain(Work work, Sink sink, String who, int jobs, boolean store) throws Exception {
		Sink.Drain drain = sink.drain(this.feed, jobs, store, store ? this.plan.storedLimit() : NO_LIMIT);
		work.add(who, drain.perSecond(), drain.cpuMicros(), Usage.peakMebibytes(sink.process()));
		return "%s %,.0f jobs/s, %.1f us of CPU each".formatted(who, drain.perSecond(), drain.cpuMicros());
	}

	private void measureChain(Child rest, Child servlet, Sink store, Sink loop, double half) throws Exception {
		chain("black hole", half, false, rest, servlet, store, loop);
		if (this.stage.database() != 0) {
			double stored = this.results.works()
				.stream()
				.filter((work) -> work.name().startsWith("Topic to mongod"))
				.findFirst()
				.orElseThrow()
				.of(STORE)
				.median();
			chain("mongod", Math.min(half, stored / 2), true, rest, servlet, store, loop);
		}
	}

	private void chain(String where, double rate, boolean stored, Child rest, Child servlet, Sink store, Sink loop)
			throws Exception {
		String name = "POST to %s at half load (%,.0f jobs/s), ".formatted(where, rate);
		Work middle = this.results.work(name + "p50", "ms", FLOORS);
		Work tail = this.results.work(name + "p99", "ms", FLOORS);
		rounds(middle, this.plan.rounds(),
				List.of(() -> chain(middle, tail, PAIR, rest, this.restPort, store, rate, stored),
						() -> chain(middle, tail, FLOORS, servlet, this.servletPort, loop, rate, stored)));
	}

	/**
	 * The time of a job is from when it was due to be posted until the write that stores
	 * it is answered.
	 */
	private String chain(Work middle, Work tail, String who, Child front, int port, Sink sink, double rate,
			boolean stored) throws Exception {
		int jobs = PostLoad.jobs(rate, this.plan.load());
		long[] due = new long[jobs];
		AtomicLongArray done = new AtomicLongArray(jobs);
		long before = sink.hole().count();
		Usage usage = Usage.of(List.of(front, sink.process()));
		sink.hole().store(stored);
		sink.hole().listen((number) -> {
			if (number >= 0 && number < jobs) {
				done.set(number, System.nanoTime());
			}
		});
		Outcome outcome = new PostLoad(port, this.postings).open(CONNECTIONS, rate, this.plan.load(), due);
		sink.await(before + outcome.answered(), Duration.ofSeconds(30));
		double cpu = Usage.of(List.of(front, sink.process())).microsSince(usage) / outcome.answered();
		sink.hole().store(false);
		sink.hole().listen(null);
		Histogram latencies = new Histogram(3);
		for (int i = 0; i < jobs; i++) {
			if (done.get(i) > 0) {
				latencies.recordValue((done.get(i) - due[i]) / 1000);
			}
		}
		addLatencies(middle, tail, who, latencies, cpu,
				Usage.peakMebibytes(front) + Usage.peakMebibytes(sink.process()));
		noteFailures(middle, who, outcome);
		if (latencies.getTotalCount() < outcome.answered()) {
			this.notes.add("%s, %s: %,d accepted jobs were not seen within 30 s.".formatted(middle.name(), who,
					outcome.answered() - latencies.getTotalCount()));
		}
		clearTopics();
		return told(who, latencies);
	}

	private void measureGrowth(Sink store) throws Exception {
		Work lag = this.results.work("Growth: backlog of %,d".formatted(this.plan.lag()), "jobs/s", "a tenth of it");
		rounds(lag, this.plan.growthRounds(),
				List.of(() -> drain(lag, store, "a tenth of it", this.plan.lag() / 10, false),
						() -> drain(lag, store, STORE, this.plan.lag(), false)));
		if (this.stage.database() == 0) {
			return;
		}
		Database database = new Database(this.stage.database());
		Work documents = this.results.work("Growth: %,d documents stored".formatted(this.plan.documents()), "jobs/s",
				"none stored");
		rounds(documents, this.plan.growthRounds(), List.of(() -> {
			database.empty(store.database());
			return drain(documents, store, "none stored", this.plan.stored(), true);
		}));
		say("Growth: filling the database");
		database.fill(store.database(), this.postings, this.plan.documents());
		rounds(documents, this.plan.growthRounds(),
				List.of(() -> drain(documents, store, STORE, this.plan.stored(), true)));
	}

	/**
	 * From the start of the process until it says that it is ready; Kafka and the
	 * database run.
	 */
	private void measureStarts(Path jobs) throws Exception {
		Work work = this.results.work("Start to ready, plain jar", "s", SERVLET);
		try (BlackHole hole = new BlackHole(this.stage.database())) {
			rounds(work, this.plan.rounds(),
					List.of(() -> start(work, REST, rest(), () -> this.stage.isReady(this.restPort)),
							() -> start(work, STORE, store(hole), () -> this.stage.isReady(this.storePort)),
							() -> start(work, SERVLET, servlet(jobs), () -> Ports.isListening(this.servletPort))));
		}
	}

	private String start(Work work, String who, Child process, BooleanSupplier ready) {
		long start = System.nanoTime();
		this.stage.launch(process);
		while (!ready.getAsBoolean()) {
			if (!process.isAlive() || System.nanoTime() - start > NO_LIMIT.toNanos()) {
				throw new IllegalStateException("%s does not get ready: see %s".formatted(who, process.log()));
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
		}
		double seconds = (System.nanoTime() - start) / 1e9;
		work.add(who, seconds, Double.NaN, Usage.peakMebibytes(process));
		this.stage.end(process);
		return "%s %.2f s".formatted(who, seconds);
	}

	private void end(Sink sink) {
		this.stage.end(sink.process());
		sink.hole().close();
	}

	/**
	 * Loads a process until its compiler has had its time.
	 */
	private void warmUp(String who, Child process, Load load) throws Exception {
		say("Warming up %s".formatted(who));
		long start = System.nanoTime();
		Duration used = Usage.of(List.of(process)).cpu();
		while (used.compareTo(this.plan.warmUp()) < 0
				&& System.nanoTime() - start < this.plan.warmUpLimit().toNanos()) {
			load.run();
			used = Usage.of(List.of(process)).cpu();
		}
	}

	/**
	 * All in turn, and the next round the other way round, so that what drifts with time
	 * meets all.
	 */
	private void rounds(Work work, int rounds, List<Step> steps) throws Exception {
		for (int round = 1; round <= rounds; round++) {
			for (Step step : (round % 2 == 1) ? steps : steps.reversed()) {
				say("%s, %d of %d: %s".formatted(work.name(), round, rounds, step.run()));
			}
		}
	}

	private void say(String sentence) {
		long seconds = Duration.ofNanos(System.nanoTime() - this.start).toSeconds();
		System.out.printf("[%2d:%02d] %s%n", seconds / 60, seconds % 60, sentence);
	}

	@Override
	public void close() throws IOException {
		this.feed.close();
		this.stage.close();
	}

	/**
	 * One measurement, which tells what it saw.
	 */
	private interface Step {

		String run() throws Exception;

	}

	/**
	 * Something that warms up.
	 */
	private interface Load {

		void run() throws Exception;

	}

	/**
	 * An upload, which tells how long it took.
	 */
	private interface Upload {

		Duration run() throws Exception;

	}

}
