package jobs.crawler;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import jobs.crawler.fetch.Fetcher;
import jobs.crawler.url.Urls;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The options of the command, and whether they are right.
 */
final class CrawlOptions {

	/** The frontier counts depths with four digits. */
	private static final int MAX_DEPTH = 9000;

	/** A page is in memory as a whole. */
	private static final int MAX_BYTES = 1_000_000_000;

	/** More is no bound. */
	private static final int MAX_HOURS = 10_000;

	/** Milliseconds of an hour. */
	private static final int MAX_PAUSE = 3_600_000;

	@Spec(Spec.Target.MIXEE)
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

	@Option(names = "--workers", defaultValue = "16",
			description = "pages that are asked for or read at the same time (${DEFAULT-VALUE})")
	private int workers;

	@Option(names = "--max-pages", defaultValue = "1000000", description = "pages that are known (${DEFAULT-VALUE})")
	private int maxPages;

	@Option(names = "--max-pages-per-host", defaultValue = "100000", description = "of one host (${DEFAULT-VALUE})")
	private int maxPagesPerHost;

	@Option(names = "--max-hours-per-host", defaultValue = "48",
			description = "after which its other pages wait for the next crawl (${DEFAULT-VALUE})")
	private int maxHoursPerHost;

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

	@Option(names = "--ignore-identifiers",
			description = "tell postings apart by their addresses alone, where a site gives several one identifier")
	private boolean areIdentifiersIgnored;

	@Option(names = "--allow-private", description = "ask hosts with addresses that are not public, such as localhost")
	private boolean isPrivateAllowed;

	@Option(names = "--json", description = "print the summary as one JSON object, after what --print prints")
	private boolean isJson;

	@Option(names = "--metrics", paramLabel = "PORT",
			description = "serve metrics at http://localhost:PORT/metrics meanwhile")
	private @Nullable Integer metrics;

	@Option(names = { "-h", "--help" }, usageHelp = true, description = "show this")
	private boolean isHelp;

	/** The port at which metrics are served, or {@code null} for none. */
	@Nullable Integer metrics() {
		return this.metrics;
	}

	/** Whether the summary is one JSON object. */
	boolean isJson() {
		return this.isJson;
	}

	/**
	 * What is to be done.
	 * @throws ParameterException where an option is wrong
	 */
	CrawlSettings settings() {
		List<String> urls = new ArrayList<>();
		for (String root : this.roots) {
			urls.add(Urls.normal(root)
				.orElseThrow(
						() -> wrong("'%s' is no URL of http or https, such as https://careers.example.org/", root)));
		}
		if (!this.contact.matches("[!-~]+@[!-~]+\\.[!-~]+|https?://[!-~]+\\.[!-~]+")) {
			throw wrong("--contact is '%s', and that is no address of mail or of a page in ASCII", this.contact);
		}
		if (!this.agent.matches("[A-Za-z_-]{1,50}")) {
			throw wrong("--agent is '%s': RFC 9309 allows letters, '-' and '_' alone", this.agent);
		}
		for (String name : List.of("--workers", "--max-pages", "--max-pages-per-host", "--tries", "--max-bytes",
				"--max-seconds", "--max-hours-per-host")) {
			require(name, 1);
		}
		for (String name : List.of("--pause", "--max-depth", "--patience")) {
			require(name, 0);
		}
		requireAtMost("--max-bytes", MAX_BYTES);
		requireAtMost("--max-depth", MAX_DEPTH);
		requireAtMost("--max-hours-per-host", MAX_HOURS);
		requireAtMost("--pause", MAX_PAUSE);
		return new CrawlSettings(List.copyOf(urls), this.agent, this.contact,
				this.isPrinting ? this.state.resolve("printed") : this.state, this.isFresh || this.isPrinting,
				this.isByDomain, patterns("--include", this.included), patterns("--exclude", this.excluded),
				!this.hasNoSitemaps, Duration.ofMillis(this.pause), this.workers, this.maxPages, this.maxPagesPerHost,
				Duration.ofHours(this.maxHoursPerHost), this.maxDepth, Fetcher.REDIRECTS, this.tries, this.maxBytes,
				Duration.ofSeconds(this.maxSeconds), !this.areIdentifiersIgnored, this.isPrivateAllowed,
				this.isPrinting ? null : pair(), key(), Duration.ofSeconds(this.patience));
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
		if (value(name) < least) {
			throw wrong("%s is %d, and must be at least %d", name, value(name), least);
		}
	}

	private void requireAtMost(String name, long most) {
		if (value(name) > most) {
			throw wrong("%s is %d, and must be at most %d", name, value(name), most);
		}
	}

	private long value(String name) {
		return Optional.<Number>ofNullable(this.spec.findOption(name).getValue()).orElse(0).longValue();
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
