package jobs.crawler;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

import jobs.crawler.HostCrawl.Visited;
import jobs.crawler.fetch.Answer;
import jobs.crawler.fetch.Fetched;
import jobs.crawler.fetch.PoliteFetcher;
import jobs.crawler.frontier.Frontier;
import jobs.crawler.frontier.PageState;
import jobs.crawler.frontier.Scope;
import jobs.crawler.frontier.WaitingPage;
import jobs.crawler.page.PageReader;
import jobs.crawler.page.ReadPage;
import jobs.crawler.page.Sitemaps;
import jobs.crawler.report.Report;
import jobs.crawler.url.Urls;
import org.jspecify.annotations.Nullable;

/**
 * The way of one page: it is asked for and read, its postings are delivered, and its
 * links wait. The threads of all hosts share it.
 */
final class PageVisit {

	private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

	/** How often the pause is doubled: up to some minute. */
	private static final int MAX_DOUBLINGS = 6;

	/** Pages that are parsed at the same time. */
	private static final int PARSERS = Math.min(4, Runtime.getRuntime().availableProcessors());

	private final CrawlSettings settings;

	private final Frontier frontier;

	private final Scope scope;

	private final PoliteFetcher fetcher;

	private final PageReader reader;

	private final Report report;

	private final FoundPages found;

	private final FoundPostings postings;

	private final Semaphore parsers = new Semaphore(PARSERS);

	/** Sites whose sitemaps wait already. */
	private final Set<String> sites = ConcurrentHashMap.newKeySet();

	PageVisit(CrawlSettings settings, Frontier frontier, Scope scope, PoliteFetcher fetcher, FoundPostings postings,
			Report report, FoundPages found) {
		this.settings = settings;
		this.frontier = frontier;
		this.scope = scope;
		this.fetcher = fetcher;
		this.reader = new PageReader(settings.product(), settings.areIdentifiersTrusted());
		this.postings = postings;
		this.report = report;
		this.found = found;
	}

	/**
	 * Visits a page. What no library expects on a page ends its visit, and not the crawl.
	 * @param away why its host is left alone; {@code null} where it is not
	 * @return what the host has done
	 */
	Visited visit(WaitingPage page, @Nullable String away, HostCrawl host) throws InterruptedException {
		try {
			return tryToVisit(page, away, host);
		}
		catch (RuntimeException | StackOverflowError | OutOfMemoryError ex) {
			give(page, "a fault of the crawler: " + ex.getClass().getSimpleName());
			return Visited.ANSWERED;
		}
	}

	private Visited tryToVisit(WaitingPage page, @Nullable String away, HostCrawl host) throws InterruptedException {
		String url = page.url();
		PageState state = page.state();
		if (state.settledIn() == this.frontier.begun() && !page.isLast()) {
			// nobody has looked: a change since then must not count as seen
			this.frontier.noteRead(url);
			keep(page, state, this.frontier.begun());
			return Visited.LEFT;
		}
		String refusal = (away != null) ? away : refusal(url, state);
		if (!refusal.isEmpty()) {
			give(page, refusal);
			return Visited.LEFT;
		}
		if (this.settings.hasSitemaps() && this.sites.add(Urls.site(url))) {
			this.fetcher.robots(url).sitemaps().forEach((sitemap) -> this.found.addSitemap(sitemap, 0));
		}
		try (Fetched fetched = this.fetcher.fetch(url, conditions(page))) {
			WaitingPage asked = new WaitingPage(url, state.asked(this.frontier.begun()), page.isLast());
			return take(asked, fetched.answer(), host.version(fetched.askedAt()), host);
		}
	}

	/** Why a page is not asked for, or an empty text where it is. */
	private String refusal(String url, PageState state) {
		if (this.frontier.rootOf(url).isPresent()) {
			return "";
		}
		if (state.isSitemap()) {
			return (!this.settings.hasSitemaps() && state.depth() == 0) ? "sitemaps are not read"
					: this.scope.hasHost(url) ? "" : "other host";
		}
		return this.scope.refusal(url, (state.readAt() == 0) ? state.depth() : 0);
	}

	private Visited take(WaitingPage page, Answer answer, long at, HostCrawl host) throws InterruptedException {
		if (answer instanceof Answer.Page || answer instanceof Answer.NotModified) {
			this.frontier.rootOf(page.url()).filter(page.url()::equals).ifPresent(this.frontier::stays);
		}
		switch (answer) {
			case Answer.Page content -> read(page, content, at, host);
			case Answer.NotModified _ -> keep(page, page.state().notModified(at), at);
			case Answer.Moved moved -> follow(page, moved, at);
			case Answer.Gone _ -> {
				this.postings.gone(page, at);
				count(page.url(), Report.GONE);
			}
			case Answer.Refused refused -> {
				give(page, refused.reason());
				return (refused.status() == 0) ? Visited.LEFT : Visited.ANSWERED;
			}
			case Answer.Later later -> {
				return later(page, later);
			}
		}
		return Visited.ANSWERED;
	}

	/** A page that is as it was, by what stood there. */
	private Map<String, String> conditions(WaitingPage page) {
		Map<String, String> conditions = new HashMap<>();
		PageState state = page.state();
		boolean isOver = state.until() != 0 && state.until() < System.currentTimeMillis();
		if (!page.isLast() && !isOver && state.missing().isEmpty() && !state.isSitemap()
				&& this.frontier.postings().areOwned(state.postings())) {
			put(conditions, "If-None-Match", state.etag());
			put(conditions, "If-Modified-Since", state.lastModified());
		}
		return conditions;
	}

	private static void put(Map<String, String> headers, String name, @Nullable String value) {
		if (value != null) {
			headers.put(name, value);
		}
	}

	/**
	 * Keeps what is known of a page, which is as it was.
	 * @param at when somebody said so
	 */
	private void keep(WaitingPage page, PageState state, long at) {
		this.frontier.postings().keep(state.postings(), at);
		this.frontier.done(page.url(), state);
		count(page.url(), Report.UNCHANGED);
	}

	/** Gives a page up for this crawl, and keeps what is known of it. */
	private void give(WaitingPage page, String reason) {
		long now = Math.max(System.currentTimeMillis(), this.frontier.begun());
		this.frontier.postings().keep(page.state().postings(), now);
		this.frontier.postings().keep(page.state().missing(), now);
		this.frontier.done(page.url(), page.state());
		count(page.url(), reason);
	}

	/** Has a page tried once more, later each time. */
	private Visited later(WaitingPage page, Answer.Later later) {
		if (page.state().tries() + 1 >= this.settings.tries()) {
			give(page, later.reason());
		}
		else {
			this.fetcher.rest(page.url(),
					FIRST_PAUSE.multipliedBy(1L << Math.min(MAX_DOUBLINGS, page.state().tries())));
			this.frontier.later(page.url(), page.state().failed());
			this.report.count("tries that failed", 1);
		}
		return (later.status() != 0) ? Visited.FAILED : Visited.SILENT;
	}

	/**
	 * Follows a redirect. Only a page that has moved within the crawl has lost its
	 * postings.
	 */
	private void follow(WaitingPage page, Answer.Moved moved, long at) {
		PageState state = page.state();
		String target = Urls.resolved(page.url(), moved.location()).orElse("");
		Optional<String> root = this.frontier.rootOf(page.url());
		boolean mayLeave = root.isPresent() || state.isSitemap();
		String refusal = target.isEmpty() ? "nowhere" : (state.redirects() >= this.settings.maxRedirects())
				? "too many redirects"
				: target.equals(page.url()) ? "itself" : mayLeave ? "" : this.scope.refusal(target, state.depth());
		if (!refusal.isEmpty()) {
			give(page, "moved: " + refusal);
			return;
		}
		if (root.isPresent() && root.get().equals(page.url()) && !this.frontier.rootOf(target).equals(root)) {
			this.frontier.stays(root.get());
		}
		root.ifPresentOrElse((of) -> this.found.addRoot(target, of, state.moved()),
				() -> this.found.add(target, state.moved()));
		if ((page.isLast() || !state.missing().isEmpty()) && !this.frontier.isSettled(target)) {
			// where its postings may stand now, nobody has looked
			if (page.isLast()) {
				give(page, "moved to a page that could not be read");
			}
			else {
				this.frontier.last(page.url(), state);
			}
			return;
		}
		count(page.url(), Report.MOVED);
		this.postings.moved(page, target, at, moved.isForEver());
	}

	private void read(WaitingPage page, Answer.Page content, long at, HostCrawl host) throws InterruptedException {
		String url = page.url();
		PageState state = page.state();
		boolean isHtml = isHtml(content.mediaType());
		// robots.txt may call a page a sitemap, and a sitemap may call itself a page
		boolean isPage = isHtml && !content.mediaType().isEmpty() && !Sitemaps.hasRoot(content);
		if (state.isSitemap() && !isPage || Sitemaps.isSitemap(content)) {
			readSitemap(page, content, at);
			return;
		}
		String refusal = (state.isSitemap() && this.frontier.rootOf(url).isEmpty()) ? this.scope.refusal(url, 1) : "";
		if (!refusal.isEmpty()) {
			give(page, refusal);
			return;
		}
		if (!isHtml) {
			give(page, "no HTML");
			return;
		}
		ReadPage read = parse(url, content);
		read.repairs().forEach((repair) -> this.report.count("repaired: " + repair, 1, url));
		this.report.count("scripts that can't be read", read.broken(), url);
		if (read.broken() > state.broken() && read.postings().isEmpty() && !state.postings().isEmpty()) {
			// what stood there may stand there still
			this.frontier.noteRead(url);
			give(page, "scripts that can't be read");
			return;
		}
		List<String> links = this.found.addLinks(state.depth(), read.links());
		this.scope.read(url, !read.postings().isEmpty() || !state.postings().isEmpty(), links);
		count(url, Report.READ);
		this.postings.read(page, read, content.headers(), at, host);
	}

	private static boolean isHtml(String type) {
		return type.isEmpty() || type.equals("text/html") || type.equals("application/xhtml+xml");
	}

	/**
	 * A parsed page takes many times its bytes, so that not many are parsed at a time.
	 */
	private ParserPlace takeParser() throws InterruptedException {
		this.parsers.acquire();
		return this.parsers::release;
	}

	private ReadPage parse(String url, Answer.Page content) throws InterruptedException {
		try (ParserPlace _ = takeParser()) {
			return this.reader.read(url, content);
		}
	}

	private void readSitemap(WaitingPage page, Answer.Page content, long at) throws InterruptedException {
		PageState state = page.state();
		boolean isSitemap;
		try (ParserPlace _ = takeParser()) {
			isSitemap = this.found.readSitemap(page.url(), state.depth(), content.body());
		}
		if (!isSitemap) {
			give(page, "no sitemap");
			return;
		}
		// it may have been a page for a time
		this.postings.noMore(page, at);
		this.frontier.done(page.url(), state.read(at, null, null, List.of(), List.of(), 0, 0));
		count(page.url(), Report.READ);
	}

	private void count(String url, String outcome) {
		this.report.page(url, outcome);
	}

	/** A place among those that parse, which is given back. */
	@FunctionalInterface
	private interface ParserPlace extends AutoCloseable {

		@Override
		void close();

	}

}
