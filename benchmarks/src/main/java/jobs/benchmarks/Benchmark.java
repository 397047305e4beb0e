package jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import jobs.localstack.Child;

/**
 * The command behind {@code ./benchmark}: starts all that is measured, measures it, and
 * reports.
 */
final class Benchmark {

	private Benchmark() {
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
		Postings postings = Postings.read(jobs);
		Session session = new Session(quick ? Plan.QUICK : Plan.FULL);
		if (postings.skipped() > 0) {
			session.note("%,d lines of %s are no JSON objects with a field and were left out."
				.formatted(postings.skipped(), jobs.getFileName()));
		}
		session.note("Jobs: lines of %s over and over, %.0f bytes in the mean, each with a number of its own."
			.formatted(jobs.getFileName(), postings.meanBytes()));
		session.say("Starting Kafka, and MongoDB if there is a mongod");
		try (Stage stage = new Stage(root)) {
			Machine machine = Machine.describe(root, stage.database());
			try (Feed feed = new Feed(stage.kafka(), postings)) {
				measure(session, stage, feed, new Contestants(stage, root, jobs), postings);
			}
			catch (Exception ex) {
				System.out.println(new Report(session.results(), machine, session.notes(), quick).table());
				throw ex;
			}
			session.say("Done");
			new Report(session.results(), machine, session.notes(), quick).write(root);
		}
	}

	private static void measure(Session session, Stage stage, Feed feed, Contestants contestants, Postings postings)
			throws Exception {
		feed.create(Contestants.TOPIC);
		feed.create(Contestants.FLOOR_TOPIC);
		Child rest = stage.launch(contestants.rest());
		Child servlet = stage.launch(contestants.servlet());
		stage.awaitReady(rest, contestants.restPort());
		stage.awaitListening(servlet, contestants.servletPort());
		double half = new HttpRows(session, feed, postings, contestants, rest, servlet).measure();
		List<Sink> sinks = start(session, stage, feed, contestants);
		SinkRows sinkRows = new SinkRows(session, stage, feed, postings);
		double stored = sinkRows.measure(sinks);
		Sink store = sinks.get(0);
		Sink loop = sinks.get(1);
		ChainRows chain = new ChainRows(session, feed, postings);
		List<Chain> chains = List.of(new Chain("both services", rest, contestants.restPort(), store),
				new Chain(ChainRows.FLOOR, servlet, contestants.servletPort(), loop));
		chain.measure("black hole", half, false, chains);
		if (stage.database() != 0) {
			chain.measure("mongod", Math.min(half, stored / 2), true, chains);
		}
		for (Sink rival : sinks.subList(1, sinks.size())) {
			rival.end(stage);
		}
		sinkRows.measureGrowth(store);
		store.end(stage);
		stage.end(rest);
		stage.end(servlet);
		new StartRows(session, stage, contestants).measure();
	}

	/**
	 * Starts the service, its floor and its rivals one after the other, and times each
	 * until its first document.
	 */
	private static List<Sink> start(Session session, Stage stage, Feed feed, Contestants contestants) throws Exception {
		Results.Work first = session.work("Start to the first document, cold", "s", Contestants.LOOP);
		List<Sink> sinks = new ArrayList<>();
		sinks.add(contestants.store(hole(stage)));
		sinks.add(contestants.loop(hole(stage)));
		// else a rival creates it during the start that is timed
		feed.create(Contestants.RIVAL_DEAD_LETTERS);
		for (var rival : Contestants.rivals().entrySet()) {
			String topic = "connector-" + (sinks.size() - 1);
			feed.create(topic);
			sinks.add(contestants.rival(rival, topic, hole(stage)));
		}
		for (Sink sink : sinks) {
			double seconds = sink.start(stage, feed);
			first.add(sink.who(), seconds, Double.NaN, Double.NaN);
			session.say("%s: %s %.1f s".formatted(first.name(), sink.who(), seconds));
		}
		return sinks;
	}

	private static BlackHole hole(Stage stage) throws IOException {
		return new BlackHole(stage.database());
	}

}
