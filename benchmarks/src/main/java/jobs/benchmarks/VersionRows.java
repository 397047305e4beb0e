package jobs.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

import jobs.benchmarks.Results.Work;
import jobs.benchmarks.Session.Step;
import jobs.benchmarks.Session.WarmUp;
import jobs.localstack.Ports;

/**
 * What versions cost: kafka-to-mongo that replaces older ones, beside itself where the
 * first document stays, and beside MongoDB's connector that replaces by a business key.
 *
 * @param session of the measurement
 * @param stage where all runs
 * @param feed makes topics and backlogs
 * @param postings what is stored
 * @param root the folder of the project
 * @param jobs what is stored, as a file
 * @param version the highest version that was sent
 */
record VersionRows(Session session, Stage stage, Feed feed, Postings postings, Path root, Path jobs,
		AtomicInteger version) {

	private static final String INSERTS = "first stays";

	private static final String NEWEST = "newest wins";

	private static final String MANY_IDS = "a document each";

	private static final Duration LIMIT = Duration.ofMinutes(3);

	/** The connector's strategy for documents that change, as its manual has it. */
	private static final Map<String, String> BUSINESS_KEY = Map.of("bulk.write.ordered", "false", "writemodel.strategy",
			"com.mongodb.kafka.connect.sink.writemodel.strategy.ReplaceOneBusinessKeyStrategy", "document.id.strategy",
			"com.mongodb.kafka.connect.sink.processor.id.strategy.PartialValueStrategy",
			"document.id.strategy.partial.value.projection.type", "AllowList",
			"document.id.strategy.partial.value.projection.list", "k", "consumer.override.max.poll.records", "2000");

	void measure() throws Exception {
		List<Sink> sinks = List.of(store(INSERTS, false), store(NEWEST, true), connector());
		for (Sink sink : sinks) {
			sink.start(this.stage, this.feed, () -> this.feed.fill(sink.topic(), 1, (_) -> document(0, 0, 0)));
		}
		int backlog = this.session.plan().backlog() / 4;
		this.session.warmUp(sinks.stream()
			.map((sink) -> new WarmUp(sink.who(), sink.process(), () -> drain(sink, backlog, false)))
			.toList(), this.session.plan().warmUpLimit().dividedBy(ResourceRows.WARM_UPS));
		measure(this.session.work("Versions: topic to black hole, backlog of %,d".formatted(backlog), "jobs/s",
				INSERTS), sinks, backlog, false);
		if (this.stage.database() != 0) {
			measureUpdates(sinks);
		}
		measureOneId(sinks.get(1));
		sinks.forEach((sink) -> sink.end(this.stage));
	}

	private void measure(Work work, List<Sink> sinks, int documents, boolean store) throws Exception {
		List<Step> steps = new ArrayList<>();
		sinks.forEach((sink) -> steps.add(() -> add(work, sink.who(), drain(sink, documents, store))));
		this.session.rounds(work, this.session.plan().rounds(), steps);
	}

	/** Each document is there with an older version. */
	private void measureUpdates(List<Sink> all) throws Exception {
		int documents = this.session.plan().stored() / 20;
		List<Sink> sinks = all.stream().filter((sink) -> !sink.who().equals(INSERTS)).toList();
		new Database(this.stage.database()).index(sinks.getLast().database(), "k");
		for (Sink sink : sinks) {
			drain(sink, documents, true);
		}
		measure(this.session.work("Versions: %,d updates, topic to mongod".formatted(documents), "jobs/s",
				sinks.getLast().who()), sinks, documents, true);
	}

	/** All versions are of one document, so that a batch needs one write. */
	private void measureOneId(Sink sink) throws Exception {
		int versions = this.session.plan().stored() / 4;
		Work work = this.session.work("Versions: until %,d are committed, topic to %s".formatted(versions,
				(this.stage.database() != 0) ? "mongod" : "black hole"), "jobs/s", MANY_IDS);
		this.session.rounds(work, this.session.plan().rounds(),
				List.of(() -> add(work, MANY_IDS, commit(sink, versions, (i) -> document(i, this.version.get(), i))),
						() -> add(work, "one document",
								commit(sink, versions, (i) -> document(0, this.version.get() + i, i)))));
	}

	private Sink.Drain commit(Sink sink, int versions, IntFunction<byte[]> document) throws Exception {
		this.version.addAndGet(versions);
		sink.hole().store(this.stage.database() != 0);
		sink.hole().hold();
		try {
			this.feed.fill(sink.topic(), versions, document);
		}
		finally {
			sink.hole().release();
		}
		long start = System.nanoTime();
		Usage usage = Usage.of(List.of(sink.process()));
		while (this.feed.lag(sink.topic(), sink.topic()) > 0) {
			if (System.nanoTime() - start > LIMIT.toNanos()) {
				throw new IllegalStateException("%s has not committed %,d versions after %d min".formatted(sink.who(),
						versions, LIMIT.toMinutes()));
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
		}
		double seconds = (System.nanoTime() - start) / 1e9;
		double cpu = Usage.of(List.of(sink.process())).microsSince(usage);
		sink.hole().store(false);
		this.version.addAndGet(versions);
		this.feed.clear(sink.topic());
		return new Sink.Drain(versions / seconds, cpu / versions, 0);
	}

	private String add(Work work, String who, Sink.Drain drain) throws Exception {
		work.add(who, drain.perSecond(), drain.cpuMicros(), Double.NaN);
		return "%s %,.0f jobs/s, %.1f us of CPU each".formatted(who, drain.perSecond(), drain.cpuMicros());
	}

	/** Has a sink move a new version of so many documents. */
	private Sink.Drain drain(Sink sink, int documents, boolean store) throws Exception {
		int version = this.version.incrementAndGet();
		return sink.drain(this.feed, documents,
				() -> this.feed.fill(sink.topic(), documents, (i) -> document(i, version, i)), store, LIMIT);
	}

	/** A posting with an id and a version. */
	private byte[] document(int id, int version, int posting) {
		byte[] keys = "{\"k\":%d,\"r\":%d,".formatted(id, version).getBytes(StandardCharsets.US_ASCII);
		byte[] job = this.postings.job(posting);
		byte[] document = Arrays.copyOf(keys, keys.length + job.length - 1);
		System.arraycopy(job, 1, document, keys.length, job.length - 1);
		return document;
	}

	private Sink store(String who, boolean hasVersions) throws Exception {
		Contestants version = new Contestants(this.stage, this.root, " " + who.replace(' ', '-'), this.jobs);
		this.feed.create(version.topic());
		Sink sink = version.store(Ports.free(), new BlackHole(this.stage.database()),
				settings(version.topic(), hasVersions));
		return new Sink(who, sink.process(), sink.topic(), sink.database(), sink.hole());
	}

	/** Each posting gets an id and a version as its first fields. */
	private Map<String, String> settings(String topic, boolean hasVersions) throws IOException {
		Path folder = Files.createDirectories(this.stage.folder().resolve("versions"));
		Files.writeString(folder.resolve("numbered.schema.json"), """
				{"type":"object","required":["k","r"],"properties":{"k":{"type":"integer"},"r":{"type":"integer"}}}""");
		return Map.of("JOBS_RESOURCES", Files.writeString(folder.resolve(topic + ".yaml"), """
				resources:
				  jobs:
				    contract: numbered.schema.json
				%s""".formatted(hasVersions ? "    id: /k\n    version: /r\n" : "")).toString());
	}

	private Sink connector() throws Exception {
		Contestants rivals = new Contestants(this.stage, this.root, " connector", this.jobs);
		this.feed.create("business-key");
		return rivals.rival(Map.entry("replaces by a business key", BUSINESS_KEY), "business-key",
				new BlackHole(this.stage.database()));
	}

}
