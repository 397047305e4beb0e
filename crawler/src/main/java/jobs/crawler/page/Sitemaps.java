package jobs.crawler.page;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import crawlercommons.sitemaps.AbstractSiteMap;
import crawlercommons.sitemaps.SiteMap;
import crawlercommons.sitemaps.SiteMapIndex;
import crawlercommons.sitemaps.SiteMapParser;
import crawlercommons.sitemaps.UnknownFormatException;
import jobs.crawler.fetch.Answer;
import jobs.crawler.fetch.Fetcher;
import jobs.crawler.url.Urls;
import org.jspecify.annotations.Nullable;

/**
 * Reads sitemaps: lists of pages, or of sitemaps. Source: sitemaps.org.
 */
public final class Sitemaps {

	/** Of one sitemap. Source: sitemaps.org. */
	private static final int MAX_PAGES = 50_000;

	/** Bytes that count of a page in order to know it for a sitemap. */
	private static final int BEGINNING = 4096;

	private static final long DAY = Duration.ofDays(1).toMillis();

	private static final long HALF_A_DAY = DAY / 2;

	private static final Pattern ROOT = Pattern.compile("<([A-Za-z0-9]+:)?(urlset|sitemapindex)[\\s>]");

	private Sitemaps() {
	}

	/** Whether a page is a sitemap, by its first element. */
	public static boolean isSitemap(Answer.Page page) {
		if (isCompressed(page.body())) {
			return true;
		}
		if (!page.mediaType().contains("xml") || page.mediaType().contains("html")) {
			return false;
		}
		return hasRoot(page);
	}

	/** Whether a page has the first element of a sitemap, whatever it says of itself. */
	public static boolean hasRoot(Answer.Page page) {
		String beginning = new String(page.body(), 0, Math.min(page.body().length, BEGINNING),
				StandardCharsets.ISO_8859_1);
		return ROOT.matcher(beginning).find();
	}

	/**
	 * Reads a sitemap, also one that is cut off.
	 * @param max bytes that it may have once it is decompressed
	 * @return what it lists, or nothing where it can't be read
	 */
	public static Optional<List<Entry>> read(String url, byte[] body, int max) {
		try {
			byte[] plain = isCompressed(body) ? Fetcher.unzipped(body, max) : body;
			// within each other they are a bomb
			if (plain == null || isCompressed(plain)) {
				return Optional.empty();
			}
			AbstractSiteMap sitemap = new SiteMapParser(false, true).parseSiteMap(plain, URI.create(url).toURL());
			List<Entry> entries = new ArrayList<>();
			if (sitemap instanceof SiteMapIndex index) {
				index.getSitemaps().forEach((one) -> add(entries, one.getUrl(), true, null));
			}
			else if (sitemap instanceof SiteMap list) {
				list.getSiteMapUrls()
					.stream()
					.limit(MAX_PAGES)
					.forEach((one) -> add(entries, one.getUrl(), false, one.getLastModified()));
			}
			return Optional.of(entries);
		}
		catch (MalformedURLException | IllegalArgumentException ex) {
			return Optional.empty();
		}
		catch (UnknownFormatException | IOException ex) {
			return Optional.empty();
		}
	}

	private static void add(List<Entry> entries, URL url, boolean isSitemap, @Nullable Date modified) {
		Urls.normal(url.toString()).ifPresent((normal) -> entries.add(new Entry(normal, isSitemap, millis(modified))));
	}

	private static boolean isCompressed(byte[] body) {
		return body.length > 2 && body[0] == 0x1f && (body[1] & 0xff) == 0x8b;
	}

	/**
	 * A day counts until it has ended everywhere: the page may have been changed after it
	 * was read. The first of a month may stand for all of it, and says nothing.
	 */
	private static long millis(@Nullable Date modified) {
		long millis = (modified != null) ? modified.getTime() : 0;
		if (millis % DAY != 0 || millis == 0) {
			return millis;
		}
		boolean mayBeAMonth = Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC).getDayOfMonth() == 1;
		return mayBeAMonth ? 0 : millis + DAY + HALF_A_DAY;
	}

	/**
	 * What a sitemap lists.
	 *
	 * @param url in its usual form
	 * @param isSitemap whether it lists pages itself
	 * @param modified when the page was changed, in milliseconds since 1970; 0 where the
	 * sitemap does not say
	 */
	public record Entry(String url, boolean isSitemap, long modified) {
	}

}
