package jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
 */
record VersionRows(Session session, Stage stage, Feed feed, Postings postings, Path root, Path jobs) {

	private static final String INSERTS = "first stays";

	private static final Duration LIMIT = Duration.ofMinutes(3);

	/** The connector's strategy for documents that change, as its manual has it. */
	private static final Map<String, String> BUSINESS_KEY = Map.of("bulk.write.ordered", "false", "writemodel.strategy",
			"com.mongodb.kafka.connect.sink.writemodel.strategy.ReplaceOneBusinessKeyStrategy", "document.id.strategy",
			"com.mongodb.kafka.connect.sink.processor.id.strategy.PartialValueStrategy",
			"document.id.strategy.partial.value.projection.type", "AllowList",
			"document.id.strategy.partial.value.projection.list", "n", "consumer.override.max.poll.records", "2000");

	void measure() throws Exception {
		List<Sink> sinks = List.of(store(INSERTS, false), store("newest wins", true), connector());
		for (Sink sink : sinks) {
			sink.start(this.stage, this.feed);
		}
		int backlog = this.session.plan().backlog() / 4;
		this.session.warmUp(sinks.stream()
			.map((sink) -> new WarmUp(sink.who(), sink.process(), () -> sink.drain(this.feed, backlog, false, LIMIT)))
			.toList(), this.session.plan().warmUpLimit().dividedBy(ResourceRows.WARM_UPS));
		Work work = this.session.work("Versions: topic to black hole, backlog of %,d".formatted(backlog), "jobs/s",
				INSERTS);
		SinkRows rows = new SinkRows(this.session, this.stage, this.feed, this.postings);
		List<Step> steps = new ArrayList<>();
		sinks.forEach((sink) -> steps.add(() -> rows.drain(work, sink, sink.who(), backlog, false)));
		this.session.rounds(work, 2 * this.session.plan().rounds() - 1, steps);
		sinks.forEach((sink) -> sink.end(this.stage));
	}

	private Sink store(String who, boolean hasVersions) throws Exception {
		Contestants version = new Contestants(this.stage, this.root, " " + who.replace(' ', '-'), this.jobs);
		this.feed.create(version.topic());
		Sink sink = version.store(Ports.free(), new BlackHole(this.stage.database()),
				settings(version.topic(), hasVersions));
		return new Sink(who, sink.process(), sink.topic(), sink.database(), sink.hole());
	}

	/** Each posting has a number, which is its id, too. */
	private Map<String, String> settings(String topic, boolean hasVersions) throws IOException {
		Path folder = Files.createDirectories(this.stage.folder().resolve("versions"));
		Files.writeString(folder.resolve("numbered.schema.json"), """
				{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}""");
		return Map.of("JOBS_RESOURCES", Files.writeString(folder.resolve(topic + ".yaml"), """
				resources:
				  jobs:
				    contract: numbered.schema.json
				%s""".formatted(hasVersions ? "    id: /n\n    version: /n\n" : "")).toString());
	}

	private Sink connector() throws Exception {
		Contestants rivals = new Contestants(this.stage, this.root, " connector", this.jobs);
		this.feed.create("business-key");
		return rivals.rival(Map.entry("replaces by a business key", BUSINESS_KEY), "business-key",
				new BlackHole(this.stage.database()));
	}

}
