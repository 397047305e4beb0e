package jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * The command behind {@code ./benchmark}: starts all that is measured, measures it, and
 * reports.
 */
final class Benchmark {

	/** The parts whose contestants stay up and warm from one to the next. */
	private static final Set<String> LOADS = Set.of("http", "sink", "chain");

	/** Without the resources, for which a short run has no time. */
	private static final Set<String> SHORT = Set.of("http", "access", "sink", "chain", "start", "scale");

	/** In the order of a whole run. */
	static final List<String> ALL = List.of("http", "sink", "chain", "access", "resources", "versions", "start",
			"scale");

	private Benchmark() {
	}

	/**
	 * Measures.
	 * @param args {@code --quick}, {@code --jobs FILE}, {@code --only PARTS},
	 * {@code --update}, {@code --bridge FOLDER} and {@code --compare NAME FOLDER}, or
	 * nothing. The last one ends with 1 where this version has become worse, and with 2
	 * where there were too few rounds
	 */
	static void main(String[] args) throws Exception {
		Path root = Path.of("").toAbsolutePath();
		List<String> options = List.of(args);
		boolean quick = options.contains("--quick");
		int file = options.indexOf("--jobs") + 1;
		Path jobs = root.resolve((file > 0) ? options.get(file) : "end-to-end/src/test/resources/job-postings.ndjson");
		Postings postings = Postings.read(jobs);
		Session session = new Session(quick ? Plan.QUICK : Plan.FULL);
		int only = options.indexOf("--only") + 1;
		Set<String> parts = (only > 0) ? Set.of(options.get(only).split(",")) : quick ? SHORT : Set.copyOf(ALL);
		int compare = options.indexOf("--compare") + 1;
		int release = options.indexOf("--bridge") + 1;
		Path bridge = (release > 0) ? Path.of(options.get(release)) : null;
		if (postings.skipped() > 0) {
			session.note("%,d lines of %s are no JSON objects with a field and were left out."
				.formatted(postings.skipped(), jobs.getFileName()));
		}
		session.note("Jobs: lines of %s over and over, %.0f bytes in the mean, each with a number of its own."
			.formatted(jobs.getFileName(), postings.meanBytes()));
		// before the hours of which it could lose the figures
		Results earlier = options.contains("--update") ? Results.read(root.resolve("benchmarks/benchmark.json")) : null;
		session.say("Starting Kafka, and MongoDB if there is a mongod");
		try (Stage stage = new Stage(root)) {
			Machine machine = Machine.describe(root, stage.database(), bridge);
			boolean partial = quick || file > 0 || only > 0 && earlier == null || compare > 0 || stage.database() == 0;
			try (Feed feed = new Feed(stage.kafka(), postings)) {
				List<Contestants> versions = new ArrayList<>(List.of(new Contestants(stage, root, "", jobs)));
				if (compare > 0) {
					versions.add(new Contestants(stage, Path.of(options.get(compare + 1)), " " + options.get(compare),
							jobs));
				}
				if (!Collections.disjoint(parts, LOADS)) {
					measure(session, stage, feed, versions, postings, parts, bridge);
				}
				if (parts.contains("access") && compare == 0) {
					session.begin("access");
					new AccessRows(session, stage, feed, versions.getFirst(), postings).measure();
				}
				// other jobs may break its contract
				if (parts.contains("resources") && compare == 0 && file == 0) {
					session.begin("resources");
					new ResourceRows(session, stage, feed, postings, root, jobs).measure();
				}
				if (parts.contains("versions") && compare == 0) {
					session.begin("versions");
					new VersionRows(session, stage, feed, postings, root, jobs, new AtomicInteger()).measure();
				}
				if (parts.contains("start")) {
					session.begin("start");
					for (Contestants version : versions) {
						feed.create(version.topic());
					}
					feed.create(Contestants.FLOOR_TOPIC);
					new StartRows(session, stage, versions, postings).measure();
				}
				if (parts.contains("scale") && compare == 0) {
					session.begin("scale");
					new ScaleRows(session, stage, feed, postings, root, jobs).measure();
				}
			}
			catch (Exception ex) {
				System.out.println(new Report(session.results(), machine, partial).table());
				throw ex;
			}
			session.say("Done");
			Results results = (earlier != null) ? session.results().with(earlier, ALL, parts) : session.results();
			Report report = new Report(results, machine, partial);
			report.write(root);
			if (compare > 0) {
				end(report.changes(" " + options.get(compare)), options.get(compare));
			}
		}
	}

	/** Ends with 1 where this version has become worse, and with 2 where nobody knows. */
	private static void end(Changes changes, String other) {
		if (changes.judged() == 0) {
			System.out.printf("%nNothing was judged: that needs five rounds.%n");
			System.exit(2);
		}
		if (!changes.worse().isEmpty()) {
			System.out.printf("%nWorse than %s, beyond noise:%n", other);
			changes.worse().forEach(System.out::println);
			System.exit(1);
		}
		System.out.printf("%nOf %d figures none is worse than %s, beyond noise.%n", changes.judged(), other);
	}

	/** The loads, of which the chain needs what the two before it know. */
	private static void measure(Session session, Stage stage, Feed feed, List<Contestants> versions, Postings postings,
			Set<String> parts, @Nullable Path bridge) throws Exception {
		for (Contestants version : versions) {
			feed.create(version.topic());
		}
		feed.create(Contestants.FLOOR_TOPIC);
		if (bridge != null) {
			feed.create(Contestants.BRIDGE_TOPIC);
		}
		session.begin("http");
		HttpRows http = new HttpRows(session, stage, feed, postings, versions, bridge);
		if (parts.contains("chain") || parts.contains("http")) {
			http.measure(parts.contains("http"));
		}
		if (parts.contains("chain") || parts.contains("sink")) {
			measureSinks(session, stage, feed, versions, postings, parts, http);
		}
		http.end();
	}

	private static void measureSinks(Session session, Stage stage, Feed feed, List<Contestants> versions,
			Postings postings, Set<String> parts, HttpRows http) throws Exception {
		boolean whole = parts.contains("sink");
		session.begin("sink");
		List<Sink> sinks = start(session, stage, feed, versions, whole && versions.size() == 1);
		SinkRows sinkRows = new SinkRows(session, stage, feed, postings);
		double stored = sinkRows.measure(sinks, whole);
		if (parts.contains("chain")) {
			session.begin("chain");
			new ChainRows(session, feed).measure(stored, chains(versions, postings, http, sinks));
		}
		for (Sink rival : sinks.subList(1, sinks.size())) {
			rival.end(stage);
		}
		if (whole && versions.size() == 1) {
			session.begin("sink");
			sinkRows.measureGrowth(sinks.getFirst());
		}
		sinks.getFirst().end(stage);
	}

	private static List<Chain> chains(List<Contestants> versions, Postings postings, HttpRows http, List<Sink> sinks) {
		List<Chain> chains = new ArrayList<>();
		for (int i = 0; i < versions.size(); i++) {
			chains.add(new Chain(versions.get(i).named(Contestants.BOTH), http.rest(i),
					new PostLoad(versions.get(i).restPort(), postings), sinks.get(i)));
		}
		chains.add(new Chain(ChainRows.FLOOR, http.servlet(), new PostLoad(versions.getFirst().servletPort(), postings),
				sinks.get(versions.size())));
		return chains;
	}

	/**
	 * Starts the service, its floor and its rivals one after the other, and times each
	 * until its first document.
	 */
	private static List<Sink> start(Session session, Stage stage, Feed feed, List<Contestants> versions,
			boolean withRivals) throws Exception {
		Results.Work first = session.work("Start to the first document, cold", "s", Contestants.LOOP);
		List<Sink> sinks = new ArrayList<>();
		for (Contestants version : versions) {
			sinks.add(version.store(hole(stage)));
		}
		Contestants contestants = versions.getFirst();
		sinks.add(contestants.loop(hole(stage)));
		if (withRivals) {
			// else a rival creates it during the start that is timed
			feed.create(Contestants.RIVAL_DEAD_LETTERS);
			for (var rival : Contestants.rivals().entrySet()) {
				String topic = "connector-" + (sinks.size() - 1);
				feed.create(topic);
				sinks.add(contestants.rival(rival, topic, hole(stage)));
			}
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
