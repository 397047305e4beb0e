package jobs.crawler;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.security.Security;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jobs.crawler.fetch.Fetcher;
import jobs.crawler.fetch.PoliteFetcher;
import jobs.crawler.frontier.Frontier;
import jobs.crawler.pair.Deliveries;
import jobs.crawler.report.Metrics;
import jobs.crawler.report.Report;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command: reads its options, crawls, and tells what became of it.
 */
@Command(name = "crawl", mixinStandardHelpOptions = false, sortOptions = false,
		description = "Reads the job postings of career pages (schema.org JobPosting) and sends them to the pair. The same "
				+ "command goes on with a crawl that was interrupted, and else looks what has changed since the last one.",
		footer = "%nThe exit code is 0 when all went well, 1 where a root could not be read or the pair did not take the "
				+ "postings, 2 for wrong options, and 130 where it was stopped. Where the pair asks for a key, JOBS_KEY is one with the roles "
				+ "postings:write and postings:delete.")
public final class Crawler implements Callable<Integer> {

	/** Between two lines of the progress, at a terminal and elsewhere. */
	private static final Duration BETWEEN_LINES = Duration.ofSeconds(1);

	private static final Duration BETWEEN_LINES_OF_A_LOG = Duration.ofSeconds(30);

	/** As shells have it. */
	private static final int INTERRUPTED = 130;

	/** The count of postings that the pair does not take. */
	private static final String REFUSED = "postings that the pair refuses";

	/** Refused postings that are told one by one. */
	private static final int REFUSALS = 20;

	@Mixin
	private final CrawlOptions options = new CrawlOptions();

	private final CountDownLatch ended = new CountDownLatch(1);

	/** Crawls, and ends the program. */
	public static void main(String[] arguments) {
		// an address that was found public stays the one that is asked
		Security.setProperty("networkaddress.cache.ttl", "-1");
		System.exit(command().execute(arguments));
	}

	/** The command, as it is executed. */
	static CommandLine command() {
		return new CommandLine(new Crawler()).setParameterExceptionHandler((ex, _) -> {
			// all options would move the reason out of sight
			CommandLine command = ex.getCommandLine();
			command.getErr().println("crawl: " + ex.getMessage());
			UnmatchedArgumentException.printSuggestions(ex, command.getErr());
			command.getErr().println("./run crawl --help tells the options.");
			return CommandLine.ExitCode.USAGE;
		});
	}

	@Override
	public Integer call() throws IOException, InterruptedException {
		CrawlSettings settings = this.options.settings();
		Report report = new Report();
		try (Frontier frontier = new Frontier(Files.createDirectories(settings.state()).resolve("frontier.mv"),
				settings.isFresh(), settings.task(), settings.maxPages(), settings.maxPagesPerHost())) {
			System.err.println("Crawling as %s.".formatted(settings.agent())
					+ (frontier.isResumed() ? " Going on with a crawl that was interrupted." : ""));
			Integer port = this.options.metrics();
			if (port == null) {
				return crawl(settings, frontier, report);
			}
			Metrics served = metrics(port, report, frontier);
			try {
				return crawl(settings, frontier, report);
			}
			finally {
				served.close();
			}
		}
		catch (FileSystemException ex) {
			System.err.println("crawl: the folder of --state, %s, can't be used (%s)".formatted(settings.state(),
					Report.printable(String.valueOf(ex.getMessage()))));
			return 1;
		}
		catch (IOException ex) {
			System.err.println("crawl: " + Report.printable(String.valueOf(ex.getMessage())));
			return 1;
		}
		finally {
			this.ended.countDown();
		}
	}

	private static Metrics metrics(int port, Report report, Frontier frontier) throws IOException {
		try {
			return new Metrics(port, report, frontier::waiting);
		}
		catch (IOException ex) {
			throw new IOException("--metrics %d: %s".formatted(port, ex.getMessage()), ex);
		}
	}

	private int crawl(CrawlSettings settings, Frontier frontier, Report report)
			throws IOException, InterruptedException {
		PoliteFetcher fetcher = new PoliteFetcher(
				new Fetcher(settings.agent(),
						new Fetcher.Bounds(settings.maxBytes(), settings.maxTime(), settings.isPrivateAllowed())),
				settings.product(), settings.pause(), settings.workers());
		Crawl crawl = new Crawl(settings, frontier, fetcher, deliveries(settings, frontier, report), report);
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
			System.err.print(report.summary(frontier.waiting()));
			if (this.options.isJson()) {
				System.out.println(report.json(frontier.waiting()));
			}
		}
		if (crawl.isStopping()) {
			System.err.println("Stopped. The same command goes on.");
			return INTERRUPTED;
		}
		unread.forEach((root) -> System.err.println("crawl: " + root + " could not be read"));
		if (report.counted(FoundPostings.SHARED) > 0) {
			System.err.println(
					"Of postings that share an id only one stays. With --ignore-identifiers each has its own address as id.");
		}
		boolean hadPostings = frontier.postings().areAny() || report.counted(REFUSED) > 0
				|| report.counted(Report.DELETIONS) > 0;
		if (unread.isEmpty() && !hadPostings && report.outcomes().containsKey(Report.READ)) {
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

	private static Deliveries deliveries(CrawlSettings settings, Frontier frontier, Report report) {
		URI pair = settings.pair();
		if (pair == null) {
			return Deliveries.printing(System.out);
		}
		return Deliveries.to(pair, settings.key(), settings.patience(),
				(line) -> System.err.println("crawl: " + Report.printable(line)), frontier::commit,
				(document, reason) -> {
					if (report.counted(REFUSED) < REFUSALS) {
						System.err.println("crawl: the pair refuses %s: %s".formatted(Report.printable(document),
								Report.printable(reason)));
					}
					report.count(REFUSED, 1);
					report.count("refused: " + reason, 1);
				});
	}

}
