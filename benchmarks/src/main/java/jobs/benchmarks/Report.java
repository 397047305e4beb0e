package jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import jobs.benchmarks.Results.Figures;
import jobs.benchmarks.Results.Part;
import jobs.benchmarks.Results.Work;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tells what was measured: on the terminal, as JSON, as a picture and as
 * {@code BENCHMARK.md}.
 *
 * @param results what was measured
 * @param machine where
 * @param partial whether the run was a short one, of parts, of other jobs, or without a
 * database, which does not replace the page of a whole one
 */
record Report(Results results, Machine machine, boolean partial) {

	private static final List<String> HEAD = List.of("work", "by", "median", "least to most", "ratio", "CPU us/job",
			"CPU ratio", "RSS MiB");

	/**
	 * Tells how this version does beside another one.
	 * @param other what names of that version end with
	 */
	Changes changes(String other) {
		Changes changes = new Changes();
		for (Work work : this.results.works()) {
			for (Figures before : work.figures().stream().filter((one) -> one.who().endsWith(other)).toList()) {
				String who = before.who().substring(0, before.who().length() - other.length());
				Figures now = work.of(who);
				change(changes, work.name() + ", " + who, Comparison.of(now.values(), before.values()),
						work.isMoreBetter());
				change(changes, work.name() + ", " + who + ", CPU", Comparison.of(now.cpuMicros(), before.cpuMicros()),
						false);
			}
		}
		return changes;
	}

	private static void change(Changes changes, String what, Comparison comparison, boolean isMoreBetter) {
		if (Double.isNaN(comparison.ratio())) {
			return;
		}
		String line = "%s: %s".formatted(what, comparison.text());
		System.out.println(line + (comparison.isJudged() ? "" : ", too few rounds to judge"));
		changes.add(line, comparison, isMoreBetter);
	}

	void write(Path root) throws IOException {
		Path page = root.resolve(this.partial ? "benchmarks/target/quick/BENCHMARK.md" : "BENCHMARK.md");
		Path data = root.resolve(this.partial ? "benchmarks/target/quick/benchmarks" : "benchmarks");
		Files.createDirectories(data);
		Files.writeString(data.resolve("benchmark.json"), json());
		Files.writeString(data.resolve("benchmark.svg"), new Picture(this.results).svg());
		Files.writeString(page, page());
		if (!this.partial) {
			Sizing.show(this.results, root.resolve("docs/performance.md"));
		}
		System.out.printf("%n%s%n%s; %s; commit %s%n", table(), this.machine.hardware(),
				String.join(", ", this.machine.versions()), this.machine.commit());
		notes().forEach(System.out::println);
		System.out.printf("%nWritten: %s, %s, %s%n", root.relativize(page),
				root.relativize(data.resolve("benchmark.json")), root.relativize(data.resolve("benchmark.svg")));
	}

	/**
	 * What the figures mean for a user, in a sentence each, where all of its figures are
	 * there and of such a machine.
	 */
	private String meaning() {
		Results own = this.results.only((part) -> machine(part).hardware().equals(this.machine.hardware()));
		StringBuilder text = new StringBuilder();
		sentence(text,
				"On this machine one of each service takes %s jobs/s by POST and %s in an upload, and stores %s"
						+ " in the database.",
				own.median("POST, 64 conn", Contestants.REST), own.median("NDJSON upload", Contestants.REST),
				own.median("Topic to mongod", Contestants.STORE));
		sentence(text,
				"A job that comes alone is in the database %s ms after its POST, and at half load in one that forgets"
						+ " after %s ms (medians).",
				own.median("POST to mongod, 10 jobs/s, p50", Contestants.BOTH),
				// half load is measured first
				own.median("POST to black hole, ", Contestants.BOTH));
		sentence(text, "A service is ready %s s after its start, and the two together need at most %s MiB.",
				own.median("Start to ready, " + Contestants.STORE, StartRows.SHIPPED),
				own.median("Memory under these loads, HTTP", Contestants.REST)
						+ own.median("Memory under these loads, topic", Contestants.STORE));
		return text.isEmpty() ? "" : text.append('\n').toString();
	}

	private static void sentence(StringBuilder text, String format, Double... figures) {
		if (Arrays.stream(figures).noneMatch((figure) -> figure.isNaN())) {
			text.append(format.formatted(Arrays.stream(figures).map(Report::number).toArray())).append('\n');
		}
	}

	private List<List<String>> rows() {
		List<List<String>> rows = new ArrayList<>();
		for (Work work : this.results.works()) {
			for (Figures figures : work.figures()) {
				boolean first = figures == work.figures().getFirst();
				rows.add(List.of(first ? work.name() : "", figures.who(), number(figures.median()) + " " + work.unit(),
						(figures.values().size() > 1) ? number(figures.least()) + " to " + number(figures.most()) : "",
						figures.who().equals(work.floor()) ? "floor" : work.comparison(figures).text(),
						number(figures.cpu()),
						figures.who().equals(work.floor()) ? "" : work.cpuComparison(figures).text(),
						Double.isNaN(figures.memory()) ? "" : "%.0f".formatted(figures.memory())));
			}
		}
		return rows;
	}

	/**
	 * Three digits, or all of a whole number.
	 */
	static String number(double value) {
		if (Double.isNaN(value)) {
			return "";
		}
		return String.format(Locale.ROOT, (value >= 100) ? "%,.0f" : (value >= 10) ? "%.1f" : "%.2f", value);
	}

	String table() {
		List<List<String>> rows = new ArrayList<>(List.of(HEAD));
		rows.addAll(rows());
		int[] widths = new int[HEAD.size()];
		for (List<String> row : rows) {
			for (int i = 0; i < widths.length; i++) {
				widths[i] = Math.max(widths[i], row.get(i).length());
			}
		}
		StringBuilder table = new StringBuilder();
		for (List<String> row : rows) {
			StringBuilder line = new StringBuilder();
			for (int i = 0; i < widths.length; i++) {
				line.append(String.format((i < 2) ? "%-" + widths[i] + "s  " : "%" + widths[i] + "s  ", row.get(i)));
			}
			table.append(line.toString().stripTrailing()).append('\n');
		}
		return table.toString();
	}

	String json() {
		List<Object> parts = new ArrayList<>();
		for (Part part : this.results.parts()) {
			parts.add(
					object("part", part.name(), "machine", machine(part), "notes", part.notes(), "works", works(part)));
		}
		return JsonMapper.builder()
			.enable(SerializationFeature.INDENT_OUTPUT)
			.build()
			.writeValueAsString(object("machine", this.machine, "partial", this.partial, "parts", parts)) + "\n";
	}

	private Machine machine(Part part) {
		return (part.machine() != null) ? part.machine() : this.machine;
	}

	private static List<Object> works(Part part) {
		List<Object> works = new ArrayList<>();
		for (Work work : part.works()) {
			if (work.figures().isEmpty()) {
				continue;
			}
			List<Object> figures = new ArrayList<>();
			for (Figures of : work.figures()) {
				Comparison comparison = work.comparison(of);
				figures.add(object("by", of.who(), "median", finite(of.median()), "ratio", finite(comparison.ratio()),
						"ratioLeast", finite(comparison.least()), "ratioMost", finite(comparison.most()), "chance",
						finite(comparison.chance()), "values", finite(of.values()), "cpuMicrosPerJob",
						finite(of.cpuMicros()), "rssMebibytes", finite(of.memory())));
			}
			works.add(object("work", work.name(), "unit", work.unit(), "floor", work.floor(), "figures", figures));
		}
		return works;
	}

	private List<String> notes() {
		return this.results.parts().stream().flatMap((part) -> part.notes().stream()).distinct().toList();
	}

	/** Whose figures they are, and which parts are of other runs. */
	private String origin() {
		Map<String, List<String>> others = new LinkedHashMap<>();
		for (Part part : this.results.parts()) {
			Machine of = machine(part);
			if (!part.name().isEmpty() && !of.equals(this.machine)) {
				others.computeIfAbsent(of.text(), (run) -> new ArrayList<>()).add(part.name());
			}
		}
		StringBuilder text = new StringBuilder("Made by `./benchmark` on %s. ".formatted(this.machine.text()));
		if (others.isEmpty()) {
			return text.append("All figures are of one run").toString();
		}
		others.forEach((run, parts) -> text
			.append("\nThe parts %s are of another run, on %s.".formatted(String.join(", ", parts), run)));
		return text.append("\nCompare only ratios of different parts. The figures of a part are of one run").toString();
	}

	private static Map<String, @Nullable Object> object(@Nullable Object... namesAndValues) {
		Map<String, @Nullable Object> object = new LinkedHashMap<>();
		for (int i = 0; i < namesAndValues.length; i += 2) {
			object.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
		}
		return object;
	}

	private static List<@Nullable Double> finite(List<Double> values) {
		List<@Nullable Double> finite = new ArrayList<>();
		for (double value : values) {
			finite.add(finite(value));
		}
		return finite;
	}

	/**
	 * JSON has no other numbers; three digits after the point are more than were
	 * measured.
	 */
	private static @Nullable Double finite(double value) {
		return Double.isFinite(value) ? (Double) (Math.round(value * 1000) / 1000.0) : null;
	}

	String page() {
		StringBuilder table = new StringBuilder();
		table.append("| ")
			.append(String.join(" | ", HEAD))
			.append(" |\n| --- | --- ")
			.append("| ---: ".repeat(6))
			.append("|\n");
		for (List<String> row : rows()) {
			table.append("| ").append(String.join(" | ", row)).append(" |\n");
		}
		StringBuilder more = new StringBuilder();
		notes().forEach((note) -> more.append("- ").append(note).append('\n'));
		return """
				# How fast it is

				%s![The medians of the decisive rows](benchmarks/benchmark.svg)

				%s
				on one machine, which client, services, Kafka and database share. Repeat it with the same command%s.

				The contract in force is the project's own, `job.schema.json`. The rows *Isolation*, *Trial* and *Memory after an upload* have
				`real-job.schema.json`, such as others have, and the rows *Versions* have a small one with an id and a version. The rows *Contract*
				name theirs.

				%s
				## How to read it

				- The **floor** is a small program without checks: a *bare servlet* in embedded Tomcat that hands the raw bytes to a producer
				  and answers on Kafka's acknowledgement (`acks=all`), a line for each line of an upload, and a *raw loop* on the plain
				  driver (kafka-to-mongo writes its text to BSON itself) with one consumer that polls, makes BSON of JSON and inserts, with
				  the next poll overlapped and commits not waited for. Services and floors get the same flags, those of the image, with a heap of the same size; a cache of their classes
				  (AOT) have the services alone. A *producer loop* shows what the producer alone would do: it makes the lines of an upload itself.
				- **Strimzi's bridge** is its HTTP bridge with the flags of its script, which are none, and `acks=all`. As it comes it waits for the
				  leader alone. It takes a job as a record without a key, and checks nothing but JSON.
				- **connector** is MongoDB's Kafka connector in Connect's standalone worker with the flags of Kafka's scripts: with its
				  defaults, and with unordered inserts, the key as `_id`, 2,000 records a poll and dead letters. All write with majority.
				- **ratio** is the median over the rounds of a figure divided by the floor's in the same round. More is better for jobs/s, less
				  for all else. Absolute figures only explain: compare ratios. A start is divided by that of the plain jar, without the cache.
				  In brackets stands where 95 of 100 such medians lie when rounds are drawn again from those that were measured (bootstrap).
				  *No difference* is written where a rank test (Mann-Whitney) finds figures as far apart in 5 of 100 cases of one and the same.
				- **Growth** is that of kafka-to-mongo: a long backlog divided by the usual one, and the jobs/s stored beside many documents by
				  those beside few.
				- **CPU** is the process's own user and system time (`/proc/PID/stat`) by the jobs of the measurement. **RSS** is the most
				  memory that was resident since the process started (`VmHWM`). A part that was measured alone has met less load by then.
				- **The black hole** speaks MongoDB's protocol, acknowledges and forgets, so that a sink's own cost shows where a database would hide it.
				  A backlog piles up while it lets writes wait; the time counts from when it goes on. With `mongod` the same processes
				  write through it into the database, where all have the two indexes that kafka-to-mongo keeps for `GET /jobs`.
				- **Latency** is that of jobs due at a fixed rate, and counts from when a job was due, not from when it could be sent. The load
				  looks for answers every 50 us. *Half load* is half of what is taken as fast as answers come: of HTTP alone, or while as
				  many jobs are stored. Jobs that come at a rate cost more CPU each than those, since fewer go together.
				- **Access** is what keys, tokens and TLS cost the service. *Not cached* are tokens of which each comes once, before more
				  others than a service keeps. A service ends a connection after 1,000 requests; the next one resumes its session of TLS, as clients do. The *greedy* client
				  sends twenty times what its key may, and does not wait when it is told to.
				- **Contract** is what other rules cost: the services with a contract such as others have, with bounds of texts, an array, a
				  number and an enum, beside those with the contract of the project. Both get the same jobs.
				- **Isolation** is what those notice who post to two resources while the batch of a third one waits for ever: its dead letter has no
				  place, and after some tries it is tried again every 10 s. **Trial** is what they notice of `./run try-contract`, which reads stored
				  documents. Each has rows until the answer and until a job is stored in a black hole, at half load and at a quarter of that.
				  **Memory after an upload** is that of both services.
				- **Scale** has what `Simulation` says beside what was measured. The simulation gives each instance CPU of its own, while here
				  all share the machine: [Performance](docs/performance.md).

				## What was not measured

				- Networks, and more than one broker or database server: everything is on the loopback address of one machine. A black hole
				  that is *2 ms away* answers that much later.
				- Jobs much larger than these.
				- Uploads without a Content-Length, which wait for their outcomes after each read: a client gets no more of them at once.

				%s"""
			.formatted(meaning(), origin(), this.partial ? "; this was a short run, or parts" : "", table, more);
	}

}
