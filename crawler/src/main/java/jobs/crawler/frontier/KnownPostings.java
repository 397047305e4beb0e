package jobs.crawler.frontier;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.h2.mvstore.MVMap;

/**
 * When each posting was seen last, and which may be gone. A posting that is missing on
 * one page may stand on another one by now: only when all pages were read it is gone.
 * Times are milliseconds since 1970. Several threads may share it.
 */
public final class KnownPostings {

	/** When a posting was seen last that the pair has, by its id. */
	private final MVMap<String, Long> seen;

	/**
	 * The page of which the pair has a posting, and a hash of the title, by the id.
	 */
	private final MVMap<String, String> owners;

	/** When a posting was missed, by its id. */
	private final MVMap<String, Long> doubtful;

	KnownPostings(CrawlFile file) {
		this.seen = file.numbers("seen");
		this.owners = file.texts("owners");
		this.doubtful = file.numbers("doubtful");
	}

	/** Notes that the pair has a posting as it stands on a page. */
	public synchronized void saw(String id, String url, String title, long at) {
		this.seen.put(id, at);
		this.owners.put(id, url + ' ' + title.hashCode());
	}

	/**
	 * Notes that the pair may have postings otherwise than any page shows them: it has
	 * refused them, or they could not be read.
	 */
	public synchronized void disown(Collection<String> ids) {
		ids.forEach(this.owners::remove);
	}

	/** Whether the pair has a posting with this id and another title, of another page. */
	public synchronized boolean isShared(String id, String url, String title) {
		String owner = this.owners.get(id);
		return owner != null && !isOwner(url, owner) && !owner.endsWith(" " + title.hashCode());
	}

	private static boolean isOwner(String url, String owner) {
		return owner.startsWith(url + ' ');
	}

	/** Notes that known postings stand where nobody could look. */
	public synchronized void keep(Collection<String> ids, long at) {
		ids.forEach((id) -> this.seen.computeIfPresent(id, (_, _) -> at));
	}

	/** Whether any posting is known. */
	public synchronized boolean areAny() {
		return !this.seen.isEmpty();
	}

	/** Whether a posting was seen on some page, and was not deleted since. */
	public synchronized boolean isKnown(String id) {
		return this.seen.containsKey(id);
	}

	/**
	 * Whether the pair has all postings as some page shows them that still does: else the
	 * pages that have them are read.
	 */
	public synchronized boolean areOwned(Collection<String> ids) {
		return this.seen.keySet().containsAll(ids) && this.owners.keySet().containsAll(ids);
	}

	/**
	 * Notes that a page shows postings no more, which may be gone.
	 * @param url of the page
	 */
	public synchronized void doubt(Collection<String> ids, String url, long at) {
		ids.forEach((id) -> {
			this.doubtful.put(id, at);
			this.owners.computeIfPresent(id, (_, owner) -> isOwner(url, owner) ? null : owner);
		});
	}

	/**
	 * The doubtful postings that no page has shown, and when they were missed. Those that
	 * were shown since stop being doubtful. One that was missed after it was shown waits
	 * for the next crawl: another page may have shown it.
	 * @param begun the beginning of this crawl: what was seen earlier does not count
	 */
	public synchronized Map<String, Long> takeGone(long begun) {
		Map<String, Long> gone = new TreeMap<>();
		List<String> shown = new ArrayList<>();
		this.doubtful.forEach((id, at) -> {
			Long seen = this.seen.get(id);
			if (seen == null || seen < begun) {
				gone.put(id, at);
			}
			else if (seen >= at) {
				shown.add(id);
			}
		});
		shown.forEach(this.doubtful::remove);
		return gone;
	}

	/** Forgets postings whose deletion the pair has. */
	public synchronized void deleted(Collection<String> ids) {
		ids.forEach((id) -> {
			this.doubtful.remove(id);
			this.seen.remove(id);
			this.owners.remove(id);
		});
	}

}
