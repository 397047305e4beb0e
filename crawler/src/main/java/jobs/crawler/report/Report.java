package jobs.crawler.report;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

import jobs.crawler.url.Urls;
import tools.jackson.databind.json.JsonMapper;

/**
 * Counts what became of pages and postings, by host and by reason.
 */
public final class Report {

	/** What became of a page that was read. */
	public static final String READ = "read";

	/** What became of a page that is as it was. */
	public static final String UNCHANGED = "unchanged";

	/** What became of a page that is not there any more. */
	public static final String GONE = "gone";

	/** What became of a page that is elsewhere. */
	public static final String MOVED = "moved";

	/** The count of postings that the pair has. */
	public static final String POSTINGS = "postings";

	/** The count of postings that were deleted. */
	public static final String DELETIONS = "deleted";

	/** Outcomes of pages that are no failures. */
	private static final Set<String> WELL = Set.of(READ, UNCHANGED, GONE, MOVED);

	/** Hosts and reasons that are told apart. */
	private static final int MAX_HOSTS = 10_000;

	/** Counts that are told apart: the pair may refuse for many reasons. */
	private static final int MAX_COUNTS = 200;

	/**
	 * Pages that are named for each reason for which somebody may want to look at them.
	 */
	private static final int EXAMPLES = 3;

	/** What moves a terminal, or turns its text around. */
	private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}]");

	private final long start = System.nanoTime();

	private final Map<String, Map<String, LongAdder>> pages = new ConcurrentHashMap<>();

	private final Map<String, LongAdder> others = new ConcurrentHashMap<>();

	/** The first pages of each outcome that is a failure, and of some other counts. */
	private final Map<String, Set<String>> examples = new ConcurrentHashMap<>();

	/** Counts a page. */
	public void page(String url, String outcome) {
		if (!WELL.contains(outcome)) {
			example(outcome, url);
		}
		String host = Urls.site(url);
		this.pages.computeIfAbsent(among(this.pages, MAX_HOSTS, host, "other hosts"), (_) -> new ConcurrentHashMap<>())
			.computeIfAbsent(outcome, (_) -> new LongAdder())
			.increment();
	}

	/** Counts something else, by its name. */
	public void count(String of, long count) {
		if (count == 0) {
			return;
		}
		// it may be of somebody else, and goes to a terminal
		String name = printable(of);
		this.others.computeIfAbsent(among(this.others, MAX_COUNTS, name, "others"), (_) -> new LongAdder()).add(count);
	}

	/** Counts something else, of which the first pages are named. */
	public void count(String of, long count, String url) {
		count(of, count);
		if (count > 0) {
			example(of, url);
		}
	}

	private void example(String of, String url) {
		Set<String> examples = this.examples.computeIfAbsent(among(this.examples, MAX_COUNTS, of, "others"),
				(_) -> new ConcurrentSkipListSet<>());
		if (examples.size() < EXAMPLES) {
			examples.add(url);
		}
	}

	/** A name that is known, or may still become so; else that of all others. */
	private static String among(Map<String, ?> known, int max, String name, String others) {
		return (known.size() < max || known.containsKey(name)) ? name : others;
	}

	/** The words of somebody else without what a terminal would obey. */
	public static String printable(String text) {
		return CONTROL.matcher(text).replaceAll(" ");
	}

	/** How often something else was counted. */
	public long counted(String name) {
		LongAdder count = this.others.get(name);
		return (count != null) ? count.sum() : 0;
	}

	/** How many pages had each outcome. */
	public Map<String, Long> outcomes() {
		Map<String, Long> outcomes = new TreeMap<>();
		this.pages.values()
			.forEach((host) -> host.forEach((outcome, count) -> outcomes.merge(outcome, count.sum(), Long::sum)));
		return outcomes;
	}

	/** Other counts, by their names. */
	public Map<String, Long> others() {
		Map<String, Long> others = new TreeMap<>();
		this.others.forEach((name, count) -> others.put(name, count.sum()));
		return others;
	}

	/** One line of where the crawl is. */
	public String line(int waiting) {
		Map<String, Long> outcomes = outcomes();
		long all = outcomes.values().stream().mapToLong(Long::longValue).sum();
		long failed = outcomes.entrySet()
			.stream()
			.filter((entry) -> !WELL.contains(entry.getKey()))
			.mapToLong(Map.Entry::getValue)
			.sum();
		Duration time = Duration.ofNanos(System.nanoTime() - this.start);
		return "%d:%02d  %,d pages, %,d wait, %,d postings, %,d deleted, %,d not read, %.1f pages/s".formatted(
				time.toMinutes(), time.toSecondsPart(), all, waiting, counted(POSTINGS), counted(DELETIONS), failed,
				all * 1000.0 / Math.max(1, time.toMillis()));
	}

	/** The whole in words, a host and a reason a line. */
	public String summary(int waiting) {
		StringBuilder summary = new StringBuilder(line(waiting)).append('\n');
		new TreeMap<>(this.pages).forEach((host, outcomes) -> {
			summary.append("  ").append(host).append('\n');
			new TreeMap<>(outcomes)
				.forEach((outcome, count) -> summary.append("    %,9d  %s%n".formatted(count.sum(), outcome)));
		});
		others().forEach((name, count) -> summary.append("  %,11d  %s%n".formatted(count, name)));
		new TreeMap<>(this.examples).forEach((of, urls) -> urls
			.forEach((url) -> summary.append("  %s: %s%n".formatted(printable(of), printable(url)))));
		return summary.toString();
	}

	/** The whole as JSON. */
	public String json(int waiting) {
		Map<String, Map<String, Long>> hosts = new TreeMap<>();
		this.pages.forEach((host, outcomes) -> {
			Map<String, Long> counts = hosts.computeIfAbsent(host, (_) -> new TreeMap<>());
			outcomes.forEach((outcome, count) -> counts.put(outcome, count.sum()));
		});
		Map<String, List<String>> examples = new TreeMap<>();
		this.examples.forEach((of, urls) -> examples.put(of, List.copyOf(urls)));
		return JsonMapper.shared()
			.writeValueAsString(new TreeMap<>(Map.of("pages", outcomes(), "hosts", hosts, "counts", others(),
					"examples", examples, "waiting", waiting)));
	}

}
