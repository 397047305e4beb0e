package jobs.crawler.frontier;

import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a page. Times are milliseconds since 1970.
 *
 * @param depth links from a root to it; of a sitemap, lists above it
 * @param redirects that led to it, one after the other
 * @param tries that have failed in this crawl
 * @param isSitemap whether it lists pages
 * @param gone crawls since there was such a page; 0 where it was there at the last visit
 * @param readAt when it was read last, and not since found gone or moved; 0 for never
 * @param etag of the page that was read last
 * @param lastModified of the page that was read last, as HTTP writes it
 * @param postings ids of the postings that stood there
 * @param missing ids that stood there, and did not when it was read last
 * @param until when the first of its postings is over, which the page need not tell; 0
 * for none
 * @param broken scripts that could not be read when it was read last
 * @param movedTo where it has moved to in this crawl
 * @param settledIn the beginning of the crawl that has found the page gone, or in which a
 * sitemap says that it is as it was; 0 for none
 * @param askedIn the beginning of the last crawl that has asked for it; 0 for none
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public record PageState(int depth, int redirects, int tries, boolean isSitemap, int gone, long readAt,
		@Nullable String etag, @Nullable String lastModified, List<String> postings, List<String> missing, long until,
		int broken, @Nullable String movedTo, long settledIn, long askedIn) {

	public PageState {
		postings = (postings != null) ? List.copyOf(postings) : List.of();
		missing = (missing != null) ? List.copyOf(missing) : List.of();
	}

	private PageState(int depth, int redirects, boolean isSitemap) {
		this(depth, redirects, 0, isSitemap, 0, 0, null, null, List.of(), List.of(), 0, 0, null, 0, 0);
	}

	/** A page that was not read yet. */
	public static PageState found(int depth) {
		return new PageState(depth, 0, false);
	}

	/** A list of pages. */
	public static PageState sitemap(int depth) {
		return new PageState(depth, 0, true);
	}

	/** Where this page has moved to. */
	public PageState moved() {
		return new PageState(this.depth, this.redirects + 1, this.isSitemap);
	}

	/** This page at the beginning of another crawl. */
	PageState again() {
		int age = (this.gone > 0) ? this.gone + 1 : 0;
		return new PageState(this.depth, this.redirects, 0, this.isSitemap, age, this.readAt, this.etag,
				this.lastModified, this.postings, this.missing, this.until, this.broken, null, 0, this.askedIn);
	}

	/** This page where a crawl asks for it. */
	public PageState asked(long crawl) {
		return new PageState(this.depth, this.redirects, this.tries, this.isSitemap, this.gone, this.readAt, this.etag,
				this.lastModified, this.postings, this.missing, this.until, this.broken, this.movedTo, this.settledIn,
				crawl);
	}

	/** This page after one more try that has failed. */
	public PageState failed() {
		return new PageState(this.depth, this.redirects, this.tries + 1, this.isSitemap, this.gone, this.readAt,
				this.etag, this.lastModified, this.postings, this.missing, this.until, this.broken, this.movedTo,
				this.settledIn, this.askedIn);
	}

	/** This page as if it had not been read, but for its postings. */
	PageState unread() {
		return new PageState(this.depth, this.redirects, 0, this.isSitemap, 0, 0, null, null, this.postings,
				this.missing, 0, this.broken, null, 0, this.askedIn);
	}

	/** This page where a sitemap says that it is as it was. */
	PageState unchanged(long crawl) {
		return new PageState(this.depth, this.redirects, this.tries, this.isSitemap, this.gone, this.readAt, this.etag,
				this.lastModified, this.postings, this.missing, this.until, this.broken, this.movedTo, crawl,
				this.askedIn);
	}

	/** This page as it was read. */
	public PageState read(long at, @Nullable String etag, @Nullable String lastModified, List<String> postings,
			List<String> missing, long until, int broken) {
		return new PageState(this.depth, this.redirects, 0, this.isSitemap, 0, at, etag, lastModified, postings,
				missing, until, broken, null, 0, this.askedIn);
	}

	/** This page where its host says that it is as it was. */
	public PageState notModified(long at) {
		return read(at, this.etag, this.lastModified, this.postings, this.missing, this.until, this.broken);
	}

	/** This page where the pair may get postings of it, before anybody knows whether. */
	public PageState expecting(List<String> ids) {
		List<String> all = Stream.concat(this.postings.stream(), ids.stream()).distinct().toList();
		return new PageState(this.depth, this.redirects, this.tries, this.isSitemap, this.gone, this.readAt, this.etag,
				this.lastModified, all, this.missing, this.until, this.broken, this.movedTo, this.settledIn,
				this.askedIn);
	}

	/** This page where it has moved to another one, and some postings are missing. */
	public PageState elsewhere(String target, List<String> missing) {
		return new PageState(this.depth, this.redirects, 0, this.isSitemap, 0, 0, null, null, List.of(), missing, 0,
				this.broken, target, 0, this.askedIn);
	}

	/** This page where a crawl has found that there is none. */
	public PageState notFound(long crawl) {
		return new PageState(this.depth, this.redirects, 0, this.isSitemap, Math.max(1, this.gone), 0, null, null,
				List.of(), List.of(), 0, 0, null, crawl, this.askedIn);
	}

}
