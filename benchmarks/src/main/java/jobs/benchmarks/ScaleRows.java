package jobs.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import jobs.benchmarks.Results.Work;
import jobs.benchmarks.Session.WarmUp;
import jobs.benchmarks.Simulation.Costs;
import jobs.localstack.Child;
import jobs.localstack.Ports;

/**
 * How partitions and instances add up, as far as the cores of one machine go, beside what
 * {@link Simulation} says of them. The black hole is 20 ms away: consumers wait then, and
 * can gain by being many on few cores.
 *
 * @param session of this run
 * @param stage where they start
 * @param feed fills the topics
 * @param postings what is posted
 * @param root the folder of the project
 * @param jobs what is posted, as a file
 */
record ScaleRows(Session session, Stage stage, Feed feed, Postings postings, Path root, Path jobs) {

	static final String IDLE = "Scale: POST to black hole, 1 partition, 10 jobs/s, p50";

	static final String PUBLISHED = "Scale: POST, 1 partition, 10 jobs/s, p50";

	static final String NEAR = "Scale: topic to black hole, 1 partition";

	private static final String SIMULATION = "simulation";

	private static final Duration AWAY = Duration.ofMillis(20);

	private static final double FEW = 10;

	private static final double LOAD = 4_000;

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final long SEED = 1;

	/** Measures each of the plan's scales. */
	void measure() throws Exception {
		for (Plan.Scale scale : this.session.plan().scales()) {
			measure(scale);
		}
	}

	private void measure(Plan.Scale scale) throws Exception {
		Contestants version = new Contestants(this.stage, this.root,
				" %d %d".formatted(scale.partitions(), scale.instances()), this.jobs);
		this.feed.create(version.topic(), scale.partitions());
		Child rest = this.stage.launch(version.rest());
		this.stage.awaitReady(rest, version.restPort());
		List<Sink> sinks = new ArrayList<>();
		try (BlackHole hole = new BlackHole(this.stage.database())) {
			for (int i = 0; i < scale.instances(); i++) {
				int port = Ports.free();
				sinks.add(version.store(port, hole, Map.of()));
				this.stage.launch(sinks.getLast().process());
				this.stage.awaitReady(sinks.getLast().process(), port);
			}
			Sink sink = sinks.getFirst();
			Chain chain = new Chain(Contestants.BOTH, rest, new PostLoad(version.restPort(), this.postings), sink);
			this.session.warmUp(List.of(new WarmUp("%s in %d instances".formatted(Contestants.STORE, scale.instances()),
					sink.process(), () -> {
						drain(sink);
						chain.run(HttpRows.CONNECTIONS, LOAD, Duration.ofSeconds(4), false);
					})), this.session.plan().warmUpLimit().dividedBy(3));
			if (scale.instances() == 1 && scale.partitions() == 1) {
				measureCosts(chain);
			}
			hole.moveAway(AWAY);
			measureAway(scale, chain);
		}
		finally {
			sinks.forEach((sink) -> this.stage.end(sink.process()));
			this.stage.end(rest);
		}
	}

	/** Measures what the simulation has to know. */
	private void measureCosts(Chain chain) throws Exception {
		Work near = this.session.work(NEAR, "jobs/s", null);
		Work idle = this.session.work(IDLE, "ms", null);
		Work published = this.session.work(PUBLISHED, "ms", null);
		this.session.rounds(near, this.session.plan().rounds(), List.of(() -> {
			double rate = drain(chain.sink());
			near.add(Contestants.STORE, rate, Double.NaN, Double.NaN);
			Chain.Seen seen = chain.run(1, FEW, this.session.plan().fewFor(), false);
			double stored = seen.latencies().getValueAtPercentile(50) / 1000.0;
			double answered = seen.outcome().latencies().getValueAtPercentile(50) / 1000.0;
			idle.add(Contestants.BOTH, stored, Double.NaN, Double.NaN);
			published.add(Contestants.BOTH, answered, Double.NaN, Double.NaN);
			return "%,.0f jobs/s, and at %.0f jobs/s %.2f ms, of which %.2f ms until the answer".formatted(rate, FEW,
					stored, answered);
		}));
	}

	private void measureAway(Plan.Scale scale, Chain chain) throws Exception {
		String where = "%d partition%s, %d instance%s, 20 ms away".formatted(scale.partitions(),
				(scale.partitions() > 1) ? "s" : "", scale.instances(), (scale.instances() > 1) ? "s" : "");
		Simulation simulation = new Simulation(Costs.of(this.session.results(), AWAY, 0, 0), scale.partitions(),
				scale.instances(), 1);
		Work rate = this.session.work("Scale: topic to black hole, " + where, "jobs/s", SIMULATION);
		Work tail = this.session.work("Scale: POST to black hole, %s, %,.0f jobs/s, p99".formatted(where, LOAD), "ms",
				SIMULATION);
		this.session.rounds(rate, this.session.plan().rounds(), List.of(() -> {
			double perSecond = drain(chain.sink());
			rate.add(Contestants.STORE, perSecond, Double.NaN, Double.NaN);
			rate.add(SIMULATION, simulation.run(1e6, SEED).perSecond(), Double.NaN, Double.NaN);
			Chain.Seen seen = chain.run(HttpRows.CONNECTIONS, LOAD, this.session.plan().load(), false);
			double most = seen.latencies().getValueAtPercentile(99) / 1000.0;
			tail.add(Contestants.BOTH, most, Double.NaN, Double.NaN);
			tail.add(SIMULATION, simulation.run(LOAD, SEED).tail(), Double.NaN, Double.NaN);
			return "%,.0f jobs/s, p99 %.1f ms".formatted(perSecond, most);
		}));
	}

	private double drain(Sink sink) throws Exception {
		return sink.drain(this.feed, this.session.plan().backlog() / 4, false, PATIENCE).perSecond();
	}

}
