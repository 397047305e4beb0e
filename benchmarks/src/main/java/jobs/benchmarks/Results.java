package jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What was measured: for each work the figures of all who did it, by the parts of a run.
 */
final class Results {

	private final Map<String, Part> parts = new LinkedHashMap<>();

	private Part current = begin("");

	/** Begins a part of a run, or goes on with it. */
	Part begin(String part) {
		this.current = this.parts.computeIfAbsent(part,
				(name) -> new Part(name, null, new ArrayList<>(), Collections.synchronizedList(new ArrayList<>())));
		return this.current;
	}

	/** Adds a sentence that has to be known beside the figures of this part. */
	void note(String sentence) {
		this.current.notes().add(sentence);
	}

	/** The parts, in order. */
	List<Part> parts() {
		return List.copyOf(this.parts.values());
	}

	/**
	 * These results where a part is named, and those of an earlier run elsewhere.
	 * @param earlier what an earlier run has measured
	 * @param order of all parts
	 * @param named the parts that are of this run
	 */
	Results with(Results earlier, List<String> order, Set<String> named) {
		Results all = new Results();
		all.begin("").notes().addAll(Objects.requireNonNull(this.parts.get("")).notes());
		// what warmed up for other parts is told as well
		this.parts.values()
			.stream()
			.filter((part) -> order.contains(part.name()) && !named.contains(part.name()))
			.forEach((part) -> all.current.notes().addAll(part.notes()));
		for (String part : order) {
			Part from = (named.contains(part) ? this : earlier).parts.get(part);
			if (from != null) {
				all.parts.put(part, from);
			}
		}
		return all;
	}

	/** Some of the parts. */
	Results only(Predicate<Part> which) {
		Results some = new Results();
		this.parts.values().stream().filter(which).forEach((part) -> some.parts.put(part.name(), part));
		return some;
	}

	/**
	 * Begins a work.
	 * @param name what is done
	 * @param unit of its figures, as {@code jobs/s} or {@code ms}
	 * @param floor whose figures the others are divided by, or {@code null} where there
	 * is none
	 */
	Work work(String name, String unit, @Nullable String floor) {
		List<Work> works = this.current.works();
		return works.stream().filter((work) -> work.name().equals(name)).findFirst().orElseGet(() -> {
			Work work = new Work(name, unit, floor, new ArrayList<>());
			works.add(work);
			return work;
		});
	}

	/**
	 * The works that were done, in order.
	 */
	List<Work> works() {
		return this.parts.values()
			.stream()
			.flatMap((part) -> part.works().stream())
			.filter((work) -> !work.figures().isEmpty())
			.toList();
	}

	/**
	 * Reads what {@link Report#json} has written; throws IllegalStateException for
	 * another file.
	 */
	static Results read(Path json) throws IOException {
		Results results = new Results();
		JsonNode parts = JsonMapper.shared().readTree(Files.readString(json)).path("parts");
		if (parts.isEmpty()) {
			throw new IllegalStateException("%s has no parts of a benchmark".formatted(json));
		}
		for (JsonNode one : parts) {
			String name = one.path("part").asString();
			Machine machine = JsonMapper.shared().treeToValue(one.path("machine"), Machine.class);
			results.current = new Part(name, machine, new ArrayList<>(), strings(one.path("notes")));
			results.parts.put(name, results.current);
			one.path("works").forEach(results::read);
		}
		return results;
	}

	private void read(JsonNode one) {
		Work work = work(one.path("work").asString(), one.path("unit").asString(), one.path("floor").asString(null));
		for (JsonNode figures : one.path("figures")) {
			double memory = figures.path("rssMebibytes").asDouble(Double.NaN);
			for (int i = 0; i < figures.path("values").size(); i++) {
				work.add(figures.path("by").asString(), figures.path("values").path(i).asDouble(Double.NaN),
						figures.path("cpuMicrosPerJob").path(i).asDouble(Double.NaN), memory);
			}
		}
	}

	private static List<String> strings(JsonNode array) {
		List<String> strings = new ArrayList<>();
		array.forEach((one) -> strings.add(one.asString()));
		return strings;
	}

	/** The median of the first work whose name begins so, or not a number. */
	double median(String work, String who) {
		return works().stream()
			.filter((one) -> one.name().startsWith(work))
			.flatMap((one) -> one.figures().stream())
			.filter((figures) -> figures.who().equals(who))
			.findFirst()
			.map(Figures::median)
			.orElse(Double.NaN);
	}

	/** The median of a work; throws IllegalStateException where it was not measured. */
	double need(String work, String who) {
		return works().stream()
			.filter((one) -> one.name().equals(work))
			.flatMap((one) -> one.figures().stream())
			.filter((figures) -> figures.who().equals(who))
			.mapToDouble(Figures::median)
			.filter(Double::isFinite)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException(
					"There is no figure of '%s' by %s: a whole ./benchmark has one, with a mongod on the PATH"
						.formatted(work, who)));
	}

	static double median(List<Double> values) {
		double[] sorted = numbers(values).sorted().toArray();
		int middle = sorted.length / 2;
		if (sorted.length == 0) {
			return Double.NaN;
		}
		return (sorted.length % 2 == 1) ? sorted[middle]
				: Arrays.stream(sorted, middle - 1, middle + 1).average().orElseThrow();
	}

	private static DoubleStream numbers(List<Double> values) {
		return values.stream().mapToDouble(Double::doubleValue).filter(Double::isFinite);
	}

	/**
	 * A part of a run.
	 *
	 * @param name as {@code --only} has it, or nothing for what all have in common
	 * @param machine where an earlier run has measured it, and at which commit;
	 * {@code null} for this run
	 * @param works in order
	 * @param notes what has to be known beside them
	 */
	record Part(String name, @Nullable Machine machine, List<Work> works, List<String> notes) {

	}

	/**
	 * A work.
	 *
	 * @param name what is done
	 * @param unit of its figures
	 * @param floor whose figures the others are divided by
	 * @param figures of all who did it
	 */
	record Work(String name, String unit, @Nullable String floor, List<Figures> figures) {

		Figures of(String who) {
			return this.figures.stream().filter((figures) -> figures.who().equals(who)).findFirst().orElseGet(() -> {
				Figures made = new Figures(who, new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
				this.figures.add(made);
				return made;
			});
		}

		void add(String who, double value, double cpuMicros, double mebibytes) {
			Figures figures = of(who);
			figures.values().add(value);
			figures.cpuMicros().add(cpuMicros);
			figures.mebibytes().add(mebibytes);
		}

		/** The figures beside those of the floor; no number where there is none. */
		Comparison comparison(Figures figures) {
			return Comparison.of(figures.values(), floor(Figures::values));
		}

		/** The CPU per job beside that of the floor; no number where there is none. */
		Comparison cpuComparison(Figures figures) {
			return Comparison.of(figures.cpuMicros(), floor(Figures::cpuMicros));
		}

		private List<Double> floor(Function<Figures, List<Double>> column) {
			return this.figures.stream()
				.filter((of) -> of.who().equals(this.floor))
				.findFirst()
				.map(column)
				.orElse(List.of());
		}

		/** Whether higher figures are better ones. */
		boolean isMoreBetter() {
			return this.unit.endsWith("/s");
		}

	}

	/**
	 * The figures of one who did a work, a value per round.
	 *
	 * @param who did it
	 * @param values the figures
	 * @param cpuMicros microseconds of CPU per job; not a number where it makes no sense
	 * @param mebibytes the most memory that was resident since the process started
	 */
	record Figures(String who, List<Double> values, List<Double> cpuMicros, List<Double> mebibytes) {

		double median() {
			return Results.median(this.values);
		}

		double least() {
			return numbers(this.values).min().orElse(Double.NaN);
		}

		double most() {
			return numbers(this.values).max().orElse(Double.NaN);
		}

		double cpu() {
			return Results.median(this.cpuMicros);
		}

		double memory() {
			return numbers(this.mebibytes).max().orElse(Double.NaN);
		}

	}

}
