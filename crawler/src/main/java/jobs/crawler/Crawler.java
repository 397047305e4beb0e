package jobs.crawler;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import jobs.crawler.fetch.Fetcher;
import jobs.crawler.fetch.PoliteFetcher;
import jobs.crawler.frontier.Frontier;
import jobs.crawler.frontier.Urls;
import jobs.crawler.pair.Deliveries;
import jobs.crawler.report.Metrics;
import jobs.crawler.report.Report;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command: reads its options, crawls, and tells what became of it.
 */
@Command(name = "crawl", mixinStandardHelpOptions = false, sortOptions = false,
		description = "Reads the job postings of career pages (schema.org JobPosting) and sends them to the pair. The same "
				+ "command goes on with a crawl that was interrupted, and else looks what has changed since the last one.",
		footer = "%nThe exit code is 0 when all went well, 1 where a root could not be read or the pair did not take the "
				+ "postings, and 2 for wrong options. Where the pair asks for a key, JOBS_KEY is one with the roles "
				+ "postings:write and postings:delete.")
public final class Crawler implements Callable<Integer> {

	/** Between two lines of the progress, at a terminal and elsewhere. */
	private static final Duration BETWEEN_LINES = Duration.ofSeconds(1);

	private static final Duration BETWEEN_LINES_OF_A_LOG = Duration.ofSeconds(30);

	/** As shells have it. */
	private static final int INTERRUPTED = 130;

	/** The frontier counts depths with four digits. */
	private static final int MAX_DEPTH = 9000;

	/** The count of postings that the pair does not take. */
	private static final String REFUSED = "postings that the pair refuses";

	/** Refused postings that are told one by one. */
	private static final int REFUSALS = 20;

	@Spec
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	@Parameters(arity = "1..*", paramLabel = "URL", description = "where to begin: pages, or sitemaps")
	private List<String> roots = List.of();

	@Option(names = "--contact", required = true, paramLabel = "ADDRESS",
			description = "an address, of mail or of a page, by which the owner of a site finds you; it is sent with each request")
	private String contact = "";

	@Option(names = "--agent", defaultValue = "jobs-crawler", paramLabel = "NAME",
			description = "the name of your crawler, as robots.txt has it (${DEFAULT-VALUE})")
	private String agent = "";

	@Option(names = "--to", defaultValue = "${env:CRAWLER_TO:-http://localhost:9090/postings}", paramLabel = "URL",
			description = "the resource at rest-to-kafka (${DEFAULT-VALUE})")
	private String to = "";

	@Option(names = "--print", description = "print the postings, one a line, and send nothing")
	private boolean isPrinting;

	@Option(names = "--state", defaultValue = "${env:CRAWLER_STATE:-crawl}", paramLabel = "FOLDER",
			description = "the folder of what is known (${DEFAULT-VALUE}); one crawl at a time may use it")
	private Path state = Path.of("crawl");

	@Option(names = "--fresh", description = "forget what is known")
	private boolean isFresh;

	@Option(names = "--by-domain",
			description = "crawl all hosts of the roots' registered domains, and not the roots' alone")
	private boolean isByDomain;

	@Option(names = "--include", paramLabel = "PATTERN", description = "crawl URLs alone that match one of these (RE2)")
	private List<String> included = List.of();

	@Option(names = "--exclude", paramLabel = "PATTERN", description = "crawl no URLs that match one of these (RE2)")
	private List<String> excluded = List.of();

	@Option(names = "--no-sitemaps", description = "don't read the sitemaps that robots.txt names")
	private boolean hasNoSitemaps;

	@Option(names = "--pause", defaultValue = "1000", paramLabel = "MILLISECONDS",
			description = "between two requests of a host, where robots.txt asks for no longer one (${DEFAULT-VALUE})")
	private long pause;

	@Option(names = "--workers", defaultValue = "16", description = "requests at the same time (${DEFAULT-VALUE})")
	private int workers;

	@Option(names = "--max-pages", defaultValue = "1000000", description = "pages that are known (${DEFAULT-VALUE})")
	private int maxPages;

	@Option(names = "--max-pages-per-host", defaultValue = "100000", description = "of one host (${DEFAULT-VALUE})")
	private int maxPagesPerHost;

	@Option(names = "--max-depth", defaultValue = "200", description = "links from a root (${DEFAULT-VALUE})")
	private int maxDepth;

	@Option(names = "--tries", defaultValue = "4", description = "of a page that can't be read (${DEFAULT-VALUE})")
	private int tries;

	@Option(names = "--max-bytes", defaultValue = "5000000", description = "of a page (${DEFAULT-VALUE})")
	private int maxBytes;

	@Option(names = "--max-seconds", defaultValue = "30", description = "for a page (${DEFAULT-VALUE})")
	private int maxSeconds;

	@Option(names = "--patience", defaultValue = "600", paramLabel = "SECONDS",
			description = "with a pair that is away (${DEFAULT-VALUE})")
	private int patience;

	@Option(names = "--allow-private", description = "ask hosts with addresses that are not public, such as localhost")
	private boolean isPrivateAllowed;

	@Option(names = "--json", description = "print the summary as one JSON object")
	private boolean isJson;

	@Option(names = "--metrics", paramLabel = "PORT",
			description = "serve metrics at http://localhost:PORT/metrics meanwhile")
	private @Nullable Integer metrics;

	@Option(names = { "-h", "--help" }, usageHelp = true, description = "show this")
	private boolean isHelp;

	private final CountDownLatch ended = new CountDownLatch(1);

	/** Crawls, and ends the program. */
	public static void main(String[] arguments) {
		// an address that was found public stays the one that is asked
		Security.setProperty("networkaddress.cache.ttl", "-1");
		System.exit(new CommandLine(new Crawler()).execute(arguments));
	}

	@Override
	public Integer call() throws IOException, InterruptedException {
		CrawlSettings settings = settings();
		Report report = new Report();
		try (Frontier frontier = new Frontier(Files.createDirectories(settings.state()).resolve("frontier.mv"),
				settings.isFresh(), settings.task(), settings.maxPages(), settings.maxPagesPerHost())) {
			System.err.println(frontier.isResumed() ? "Going on with a crawl that was interrupted."
					: "Crawling as %s.".formatted(settings.agent()));
			if (this.metrics == null) {
				return crawl(settings, frontier, report);
			}
			Metrics served = new Metrics(this.metrics, report, frontier::waiting);
			try {
				return crawl(settings, frontier, report);
			}
			finally {
				served.close();
			}
		}
		catch (IOException ex) {
			System.err.println("crawl: " + ex.getMessage());
			return 1;
		}
		finally {
			this.ended.countDown();
		}
	}

	private int crawl(CrawlSettings settings, Frontier frontier, Report report)
			throws IOException, InterruptedException {
		PoliteFetcher fetcher = new PoliteFetcher(
				new Fetcher(settings.agent(),
						new Fetcher.Bounds(settings.maxBytes(), settings.maxTime(), settings.isPrivateAllowed())),
				settings.product(), settings.pause(), settings.workers());
		Crawl crawl = new Crawl(settings, frontier, fetcher, deliveries(settings, report), report);
		Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
			crawl.stop();
			awaitEnd();
		}));
		Thread lines = Thread.ofVirtual().start(() -> tell(report, frontier));
		List<String> unread;
		try {
			unread = crawl.run();
		}
		finally {
			lines.interrupt();
			lines.join();
		}
		System.err.print(report.summary(frontier.waiting()));
		if (this.isJson) {
			System.out.println(report.json(frontier.waiting()));
		}
		if (crawl.isStopping()) {
			System.err.println("Stopped. The same command goes on.");
			return INTERRUPTED;
		}
		unread.forEach((root) -> System.err.println("crawl: " + root + " could not be read"));
		if (unread.isEmpty() && report.counted(Report.POSTINGS) == 0 && report.outcomes().containsKey(Report.READ)) {
			System.err.println(
					"No page that was read has a posting. They may be at another host, which then has to be a root,"
							+ " or need JavaScript, which the crawler does not run.");
		}
		return unread.isEmpty() ? 0 : 1;
	}

	/** Also until the file is closed. */
	private void awaitEnd() {
		try {
			this.ended.await(Crawl.FAREWELL.multipliedBy(2).toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static void tell(Report report, Frontier frontier) {
		boolean isTerminal = System.console() != null && System.console().isTerminal();
		Duration between = isTerminal ? BETWEEN_LINES : BETWEEN_LINES_OF_A_LOG;
		while (true) {
			LockSupport.parkNanos(between.toNanos());
			if (Thread.interrupted()) {
				return;
			}
			System.err.print(isTerminal ? "\r\033[K" + report.line(frontier.waiting())
					: report.line(frontier.waiting()) + System.lineSeparator());
		}
	}

	private static Deliveries deliveries(CrawlSettings settings, Report report) {
		URI pair = settings.pair();
		if (pair == null) {
			return Deliveries.printing(System.out);
		}
		return Deliveries.to(pair, settings.key(), settings.patience(), (line) -> System.err.println("crawl: " + line),
				(document, reason) -> {
					if (report.counted(REFUSED) < REFUSALS) {
						System.err.println("crawl: the pair refuses %s: %s".formatted(document, reason));
					}
					report.count(REFUSED, 1);
					report.count("refused: " + reason, 1);
				});
	}

	private CrawlSettings settings() {
		List<String> urls = new ArrayList<>();
		for (String root : this.roots) {
			urls.add(Urls.normal(root)
				.orElseThrow(
						() -> wrong("'%s' is no URL of http or https, such as https://careers.example.org/", root)));
		}
		if (!this.contact.matches("\\S+@\\S+\\.\\S+|https?://\\S+\\.\\S+")) {
			throw wrong("--contact is '%s', and that is no address of mail or of a page", this.contact);
		}
		if (!this.agent.matches("[A-Za-z_-]{1,50}")) {
			throw wrong("--agent is '%s': RFC 9309 allows letters, '-' and '_' alone", this.agent);
		}
		for (String name : List.of("--workers", "--max-pages", "--max-pages-per-host", "--tries", "--max-bytes",
				"--max-seconds")) {
			require(name, 1);
		}
		for (String name : List.of("--pause", "--max-depth", "--patience")) {
			require(name, 0);
		}
		if (this.maxDepth > MAX_DEPTH) {
			throw wrong("--max-depth is %d, and must be at most %d", this.maxDepth, MAX_DEPTH);
		}
		return new CrawlSettings(List.copyOf(urls), this.agent, this.contact,
				this.isPrinting ? this.state.resolve("printed") : this.state, this.isFresh || this.isPrinting,
				this.isByDomain, patterns("--include", this.included), patterns("--exclude", this.excluded),
				!this.hasNoSitemaps, Duration.ofMillis(this.pause), this.workers, this.maxPages, this.maxPagesPerHost,
				this.maxDepth, Fetcher.REDIRECTS, this.tries, this.maxBytes, Duration.ofSeconds(this.maxSeconds),
				this.isPrivateAllowed, this.isPrinting ? null : pair(), key(), Duration.ofSeconds(this.patience));
	}

	private @Nullable String key() {
		String key = System.getenv("JOBS_KEY");
		if (key == null || key.isBlank()) {
			return null;
		}
		if (!key.matches("[!-~]+")) {
			throw wrong("JOBS_KEY is no key: it has a character that no key has");
		}
		return key;
	}

	private void require(String name, long least) {
		Number value = Optional.<Number>ofNullable(this.spec.findOption(name).getValue()).orElse(least);
		if (value.longValue() < least) {
			throw wrong("%s is %d, and must be at least %d", name, value.longValue(), least);
		}
	}

	private URI pair() {
		return Urls.normal(this.to)
			.map(URI::create)
			.orElseThrow(() -> wrong("--to is '%s', and that is no URL", this.to));
	}

	private List<Pattern> patterns(String name, List<String> patterns) {
		try {
			return patterns.stream().map(Pattern::compile).toList();
		}
		catch (PatternSyntaxException ex) {
			throw wrong("%s: %s", name, String.valueOf(ex.getMessage()));
		}
	}

	private ParameterException wrong(String message, Object... values) {
		return new ParameterException(this.spec.commandLine(), message.formatted(values));
	}

}
