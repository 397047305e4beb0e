package jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import jobs.benchmarks.Results.Work;
import jobs.benchmarks.Session.Step;
import jobs.benchmarks.Session.WarmUp;
import jobs.localstack.Child;
import jobs.localstack.Ports;

/**
 * What a contract with rules such as others have costs: both services with it, beside
 * both with the contract of the project.
 *
 * @param session of this run
 * @param stage where they start
 * @param feed fills and clears the topics
 * @param postings what is posted
 * @param root the folder of the project
 * @param jobs what is posted, as a file
 */
record ContractRows(Session session, Stage stage, Feed feed, Postings postings, Path root, Path jobs) {

	private static final String BUILT_IN = "built-in contract";

	private static final Duration WARM_UP = Duration.ofSeconds(2);

	private static final Duration LIMIT = Duration.ofMinutes(3);

	/** Measures one service after the other, since both share the machine. */
	void measure() throws Exception {
		Contestants plain = new Contestants(this.stage, this.root, " built-in", this.jobs);
		Contestants real = new Contestants(this.stage, this.root, " real", this.jobs);
		Map<String, String> settings = new Resources(real.topic(), List.of(Resources.JOBS)).write(this.root,
				this.stage.folder().resolve("contract"));
		List<Side> sides = List.of(new Side(BUILT_IN, plain, Map.of()), new Side("real contract", real, settings));
		for (Side side : sides) {
			this.feed.create(side.version().topic());
		}
		measureRest(sides);
		measureStore(sides);
	}

	private void measureRest(List<Side> sides) throws Exception {
		List<Rest> rests = new ArrayList<>();
		for (Side side : sides) {
			int port = Ports.free();
			Child process = this.stage.launch(side.version().rest(port, side.settings()));
			this.stage.awaitReady(process, port);
			rests.add(new Rest(new Entrant(side.who(), process, new PostLoad(port, this.postings)), port,
					side.version().topic()));
		}
		warmUp(rests.stream()
			.map((rest) -> new WarmUp("rest-to-kafka, " + rest.entrant().who(), rest.entrant().process(),
					() -> warmUp(rest)))
			.toList());
		Work posts = work("POST, %d connections".formatted(HttpRows.CONNECTIONS));
		rounds(posts, rests.stream().<Step>map((rest) -> () -> post(posts, rest)).toList());
		Work uploads = work("NDJSON upload of %,d jobs".formatted(this.session.plan().upload()));
		rounds(uploads, rests.stream().<Step>map((rest) -> () -> upload(uploads, rest)).toList());
		rests.forEach((rest) -> this.stage.end(rest.entrant().process()));
	}

	private void warmUp(Rest rest) throws Exception {
		rest.entrant().load().closed(HttpRows.CONNECTIONS, WARM_UP);
		UploadLoad.run(rest.port(), this.postings, this.session.plan().upload() / 4);
		this.feed.clear(rest.topic());
	}

	private String post(Work work, Rest rest) throws Exception {
		String told = rest.entrant().throughput(this.session, work, HttpRows.CONNECTIONS);
		this.feed.clear(rest.topic());
		return told;
	}

	private String upload(Work work, Rest rest) throws Exception {
		String told = rest.entrant()
			.upload(this.session, work, (jobs) -> UploadLoad.run(rest.port(), this.postings, jobs));
		this.feed.clear(rest.topic());
		return told;
	}

	private void measureStore(List<Side> sides) throws Exception {
		List<Sink> sinks = new ArrayList<>();
		for (Side side : sides) {
			Sink sink = side.store(new BlackHole(this.stage.database()));
			sink.start(this.stage, this.feed);
			sinks.add(sink);
		}
		int backlog = this.session.plan().backlog() / 4;
		warmUp(sinks.stream()
			.map((sink) -> new WarmUp("kafka-to-mongo, " + sink.who(), sink.process(),
					() -> sink.drain(this.feed, backlog, false, LIMIT)))
			.toList());
		Work work = work("topic to black hole, backlog of %,d".formatted(backlog));
		SinkRows rows = new SinkRows(this.session, this.stage, this.feed, this.postings);
		rounds(work,
				sinks.stream().<Step>map((sink) -> () -> rows.drain(work, sink, sink.who(), backlog, false)).toList());
		sinks.forEach((sink) -> sink.end(this.stage));
	}

	private Work work(String name) {
		return this.session.work("Contract: " + name, "jobs/s", BUILT_IN);
	}

	private void rounds(Work work, List<Step> steps) throws Exception {
		this.session.rounds(work, this.session.plan().rounds(), steps);
	}

	private void warmUp(List<WarmUp> warmUps) throws Exception {
		this.session.warmUp(warmUps, this.session.plan().warmUpLimit().dividedBy(ResourceRows.WARM_UPS));
	}

	/**
	 * One of two contracts.
	 *
	 * @param who what rows call it
	 * @param version the services
	 * @param settings what has them ask for it
	 */
	private record Side(String who, Contestants version, Map<String, String> settings) {

		Sink store(BlackHole hole) throws IOException {
			Sink sink = this.version.store(Ports.free(), hole, this.settings);
			return new Sink(this.who, sink.process(), sink.topic(), sink.database(), sink.hole());
		}

	}

	/**
	 * A service that takes jobs.
	 *
	 * @param entrant the service
	 * @param port where it does
	 * @param topic where to
	 */
	private record Rest(Entrant entrant, int port, String topic) {

	}

}
