package jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import jobs.benchmarks.Simulation.Costs;
import jobs.benchmarks.Simulation.Seen;
import org.jspecify.annotations.Nullable;

/**
 * How many partitions, instances and shards a load needs, by {@link Simulation} with the
 * figures of {@code BENCHMARK.md}.
 *
 * @param results of that page
 * @param perShard jobs per second that one shard of the database takes in large inserts
 * @param away round trips to the database
 */
record Sizing(Results results, double perShard, List<Duration> away) {

	/** Half of the jobs are stored much earlier. */
	private static final double TAIL_MILLIS = 250;

	/** An instance of rest-to-kafka keeps the other half for its worst minutes. */
	private static final double USED_SHARE = 0.5;

	/** As many as the services give a topic that they create. */
	private static final int PARTITIONS = 6;

	private static final int MOST = 64;

	private static final long SEED = 1;

	/** The table of the manual, behind a mark with what its command is told. */
	private static final Pattern SHOWN = Pattern.compile("(<!-- sizing ([\\d. ]+) -->\n).*?(<!-- /sizing -->)",
			Pattern.DOTALL);

	private static final List<Integer> LOADS = List.of(100, 1_000, 5_000, 10_000, 30_000, 100_000, 300_000);

	/**
	 * Prints the table.
	 * @param args jobs per second that one shard takes, and milliseconds of one or more
	 * round trips
	 */
	static void main(String[] args) throws IOException {
		System.out.print(of(Results.read(Path.of("benchmarks/benchmark.json")), List.of(args)).table());
	}

	private static Sizing of(Results results, List<String> args) {
		List<Duration> away = args.subList(1, args.size())
			.stream()
			.map((millis) -> Duration.ofNanos(Math.round(Double.parseDouble(millis) * 1e6)))
			.toList();
		return new Sizing(results, Double.parseDouble(args.getFirst()), away);
	}

	/** Puts the table of these results in its place in a page. */
	static void show(Results results, Path page) throws IOException {
		Files.writeString(page, shown(results, Files.readString(page)));
	}

	static String shown(Results results, String page) {
		return SHOWN.matcher(page)
			.replaceAll((place) -> place.group(1) + of(results, List.of(place.group(2).split(" "))).table()
					+ place.group(3));
	}

	String table() {
		StringBuilder table = new StringBuilder("""
				| jobs/s | database away | rest-to-kafka | partitions | kafka-to-mongo | shards | p50 | p99 |
				| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
				""");
		for (int load : LOADS) {
			for (Duration roundTrip : this.away) {
				table.append(row(load, roundTrip));
			}
		}
		return table.toString();
	}

	private String row(int load, Duration roundTrip) {
		double taken = this.results.need("POST, 64 connections", Contestants.REST) * USED_SHARE;
		int rests = (int) Math.ceil(load / taken);
		double insert = Math.max(0, this.results.need("POST to mongod, 10 jobs/s, p50", Contestants.BOTH)
				- this.results.need("POST to black hole, 10 jobs/s, p50", Contestants.BOTH)) / 1000;
		Costs costs = Costs.of(this.results, roundTrip, insert, 1 / this.perShard);
		Simulation found = find(load, costs);
		String millis = "%s ms".formatted(Report.number(roundTrip.toNanos() / 1e6));
		if (found == null) {
			Seen most = new Simulation(costs, MOST, MOST, MOST).run(load, SEED);
			return most.keepsUp()
					? String.format(Locale.ROOT, "| %,d | %s | %d | | | | | above %.0f ms |%n", load, millis, rests,
							TAIL_MILLIS)
					: String.format(Locale.ROOT, "| %,d | %s | %d | | | more than %d | | |%n", load, millis, rests,
							MOST);
		}
		Seen seen = found.run(load, SEED);
		return String.format(Locale.ROOT, "| %,d | %s | %d | %d | %d | %d | %.0f ms | %.0f ms |%n", load, millis, rests,
				found.partitions(), found.instances(), found.shards(), seen.median(), seen.tail());
	}

	/** The fewest shards, and with them the fewest instances. */
	private static @Nullable Simulation find(int load, Costs costs) {
		return IntStream.rangeClosed(1, MOST)
			.filter((shards) -> shards / costs.stored() > load)
			.boxed()
			.flatMap((shards) -> IntStream.of(1, 2, 3, 4, 6, 12, 24, 48, MOST)
				.mapToObj((instances) -> new Simulation(costs, Math.max(PARTITIONS, instances), instances, shards)))
			.filter((simulation) -> {
				Seen seen = simulation.run(load, SEED);
				return seen.keepsUp() && seen.tail() <= TAIL_MILLIS;
			})
			.findFirst()
			.orElse(null);
	}

}
