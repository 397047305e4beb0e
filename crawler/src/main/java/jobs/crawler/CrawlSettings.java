package jobs.crawler;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import com.google.re2j.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a crawl is to do, and its bounds.
 *
 * @param roots where it begins
 * @param product the name of our agent, as robots.txt has it
 * @param contact the address by which the owner of a site finds the user
 * @param state the folder of what is known
 * @param isFresh whether what is known is forgotten
 * @param isByDomain whether all hosts of the roots' registered domains are crawled
 * @param included patterns of which a URL matches one; none for all
 * @param excluded patterns of which a URL matches none
 * @param hasSitemaps whether sitemaps are read
 * @param pause between two requests of a host
 * @param workers pages that are asked for or read at the same time
 * @param maxPages that are known in all
 * @param maxPagesPerHost that are known of one host
 * @param maxTimeOfHost for which a host is crawled at most
 * @param maxDepth links from a root
 * @param maxRedirects one after the other
 * @param tries of a page
 * @param maxBytes of a page
 * @param maxTime of a page
 * @param areIdentifiersTrusted whether postings of a host with one {@code identifier} are
 * one
 * @param isPrivateAllowed whether hosts may have addresses that are not public
 * @param pair the resource at rest-to-kafka; {@code null} for printing
 * @param key an API key of the pair; {@code null} for none
 * @param patience with a pair that is away
 */
record CrawlSettings(List<String> roots, String product, String contact, Path state, boolean isFresh,
		boolean isByDomain, List<Pattern> included, List<Pattern> excluded, boolean hasSitemaps, Duration pause,
		int workers, int maxPages, int maxPagesPerHost, Duration maxTimeOfHost, int maxDepth, int maxRedirects,
		int tries, int maxBytes, Duration maxTime, boolean areIdentifiersTrusted, boolean isPrivateAllowed,
		@Nullable URI pair, @Nullable String key, Duration patience) {

	/**
	 * Tells one task from another one: what was read for another one counts as unread.
	 */
	String task() {
		return String.join(" ",
				List.of(String.valueOf(this.pair), String.valueOf(this.isByDomain), this.included.toString(),
						this.excluded.toString(), String.valueOf(this.maxDepth), String.valueOf(this.maxPages),
						String.valueOf(this.maxPagesPerHost), String.valueOf(this.areIdentifiersTrusted),
						this.roots.stream().sorted().toList().toString()));
	}

	/** The header {@code User-Agent}. */
	String agent() {
		return "%s/1.1 (+%s)".formatted(this.product, this.contact);
	}

}
