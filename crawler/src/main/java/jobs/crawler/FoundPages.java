package jobs.crawler;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

import jobs.crawler.frontier.Added;
import jobs.crawler.frontier.Frontier;
import jobs.crawler.frontier.PageState;
import jobs.crawler.frontier.Scope;
import jobs.crawler.page.Sitemaps;
import jobs.crawler.report.Report;
import jobs.crawler.url.Urls;

/**
 * Has the pages wait that links and sitemaps lead to, as far as they belong to the crawl.
 */
final class FoundPages {

	/** Sitemaps that list sitemaps, one above the other. */
	private static final int SITEMAPS = 3;

	private final int maxBytes;

	private final Frontier frontier;

	private final Scope scope;

	private final Report report;

	private final BiFunction<String, PageState, Added> crawl;

	/**
	 * Makes what adds pages.
	 * @param maxBytes of a sitemap
	 * @param crawl adds a page, and has its host crawled
	 */
	FoundPages(int maxBytes, Frontier frontier, Scope scope, Report report,
			BiFunction<String, PageState, Added> crawl) {
		this.maxBytes = maxBytes;
		this.frontier = frontier;
		this.scope = scope;
		this.report = report;
		this.crawl = crawl;
	}

	/** Adds one page, whether or not it belongs to the crawl. */
	Added add(String url, PageState state) {
		return this.crawl.apply(url, state);
	}

	/** Adds a page that a root has moved to. */
	void addRoot(String url, String root, PageState state) {
		this.scope.addRoot(url);
		this.frontier.addRoot(url, root);
		this.crawl.apply(url, state);
	}

	/**
	 * Adds the links of a page.
	 * @return those that belong to the crawl
	 */
	List<String> addLinks(int depth, Set<String> links) {
		List<String> own = new ArrayList<>();
		for (String link : links) {
			String refusal = this.scope.refusal(link, depth + 1);
			if (refusal.isEmpty()) {
				own.add(link);
				Added added = this.crawl.apply(link, PageState.found(depth + 1));
				this.report.count("links beyond the bound of pages", (added == Added.TOO_MANY) ? 1 : 0);
			}
			else {
				this.report.count("links not followed: " + refusal, 1);
			}
		}
		return own;
	}

	/**
	 * Adds what a sitemap lists.
	 * @param depth lists above it
	 * @return whether it is a sitemap
	 */
	boolean readSitemap(String url, int depth, byte[] body) {
		Optional<List<Sitemaps.Entry>> entries = Sitemaps.read(url, body, this.maxBytes);
		for (Sitemaps.Entry entry : entries.orElse(List.of())) {
			if (entry.isSitemap()) {
				addSitemap(entry.url(), depth + 1);
			}
			else if (this.scope.refusal(entry.url(), 1).isEmpty()
					&& this.crawl.apply(entry.url(), PageState.found(1)) == Added.KNOWN && entry.modified() != 0) {
				this.frontier.modified(entry.url(), entry.modified());
			}
		}
		return entries.isPresent();
	}

	/** Adds a sitemap of a host that belongs to the crawl. */
	void addSitemap(String url, int depth) {
		if (depth < SITEMAPS) {
			Urls.normal(url)
				.filter(this.scope::hasHost)
				.ifPresent((normal) -> this.crawl.apply(normal, PageState.sitemap(depth)));
		}
	}

}
