package jobs.crawler.frontier;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

import jobs.crawler.url.Urls;
import org.h2.mvstore.MVMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The pages that wait, and those that were read, in a file. A crawl that was killed goes
 * on where it was: what was in hand then is read again. Several threads may share it.
 * <p>
 * Pages that the crawl before has not asked for wait before the others of their host.
 */
public final class Frontier implements AutoCloseable {

	/** Hosts that are known: a domain may have any number of them. */
	private static final int MAX_HOSTS = 10_000;

	/** Pages that wait anew between two commits. */
	private static final int PAGES_AT_ONCE = 10_000;

	/** The mark of the last page that waits anew while a crawl begins. */
	private static final String AGAIN = "again";

	/** The mark whether these are read whole. */
	private static final String WHOLE = "whole";

	/** The mark that only deletions are left. */
	private static final String DELETING = "deleting";

	/** The mark of the task. */
	private static final String TASK = "task";

	/** The number that is the time of the beginning. */
	private static final String BEGUN = "begun";

	/** The number that is the time of the beginning of the crawl before. */
	private static final String BEFORE = "before";

	/** The number that is the last version of all. */
	private static final String VERSION = "version";

	/** Crawls after which a page that is gone is forgotten. */
	private static final int GONE = 8;

	/** Redirects one after the other that are looked at. */
	private static final int MOVES = 10;

	/** What is not there is nothing, or zero. */
	private static final JsonMapper JSON = JsonMapper.builder()
		.disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
		.build();

	private final CrawlFile file;

	/** The state of each page that was seen, by its URL. */
	private final MVMap<String, String> pages;

	/** The URLs of {@link #pages}. */
	private final Fingerprints known = new Fingerprints();

	/**
	 * Those among them that are gone, and that this crawl asks for only where a page
	 * leads there.
	 */
	private final MVMap<String, String> resting;

	private final PageQueue waiting;

	private final KnownPostings postings;

	private final MVMap<String, Long> numbers;

	/** The beginning of the crawl in which a root was read last. */
	private final MVMap<String, Long> roots;

	/** The root that a page belongs to: itself, or what has moved there. */
	private final MVMap<String, String> rootPages;

	private final MVMap<String, String> marks;

	private final int maxPages;

	private final int maxPagesPerHost;

	private final Map<String, Integer> pagesOfHosts = new HashMap<>();

	private final boolean isResumed;

	/**
	 * Opens the file, or makes it. A crawl that ended begins anew with all pages that are
	 * known, and reads them whole where its task is another one.
	 * @param file where it all is
	 * @param isFresh whether what is known is forgotten
	 * @param task what is crawled, and for whom
	 * @param maxPages that are known
	 * @param maxPagesPerHost that are known of one host
	 */
	public Frontier(Path file, boolean isFresh, String task, int maxPages, int maxPagesPerHost) throws IOException {
		this.file = new CrawlFile(file, isFresh);
		this.maxPages = maxPages;
		this.maxPagesPerHost = maxPagesPerHost;
		this.pages = this.file.texts("pages");
		this.waiting = new PageQueue(this.file);
		this.numbers = this.file.numbers("numbers");
		this.roots = this.file.numbers("roots");
		this.marks = this.file.texts("marks");
		this.rootPages = this.file.texts("pages of roots");
		this.resting = this.file.texts("resting");
		this.postings = new KnownPostings(this.file);
		this.pages.keyIterator(null).forEachRemaining((url) -> {
			this.known.add(url);
			this.pagesOfHosts.merge(Urls.host(url), 1, Integer::sum);
		});
		boolean isSame = task.equals(this.marks.get(TASK));
		this.isResumed = isSame && this.numbers.containsKey(BEGUN)
				&& (!this.waiting.isEmpty() || this.marks.containsKey(DELETING));
		if (!this.isResumed) {
			// also where the clock has gone back
			noteVersion(Math.max(System.currentTimeMillis(), lastVersion() + 1));
			this.numbers.put(BEFORE, this.numbers.getOrDefault(BEGUN, 0L));
			this.numbers.put(BEGUN, lastVersion());
			this.marks.remove(DELETING);
			this.marks.put(TASK, task);
			this.marks.put(AGAIN, "");
			this.marks.put(WHOLE, Boolean.toString(!isSame));
			this.waiting.clear();
			this.resting.clear();
		}
		if (!isSame) {
			this.rootPages.clear();
		}
		beginAgain();
		commit();
	}

	/** Has all known pages wait, some at a time, since they may be many. */
	private void beginAgain() {
		String from = this.marks.get(AGAIN);
		if (from == null) {
			return;
		}
		boolean isWhole = Boolean.parseBoolean(this.marks.get(WHOLE));
		int count = 0;
		for (Iterator<String> urls = this.pages.keyIterator(from); urls.hasNext();) {
			String url = urls.next();
			if (!url.equals(from)) {
				beginAgain(url, isWhole);
				count++;
				if (count % PAGES_AT_ONCE == 0) {
					this.marks.put(AGAIN, url);
					commit();
				}
			}
		}
		this.marks.remove(AGAIN);
	}

	/**
	 * A page that is gone is asked for again, after one, two and four crawls: a list that
	 * leads to it may say that it has not changed.
	 */
	private void beginAgain(String url, boolean isWhole) {
		PageState known = state(url);
		boolean isRoot = this.rootPages.containsKey(url);
		if (known.gone() >= GONE && !isRoot) {
			this.pages.remove(url);
			this.known.remove(url);
			this.pagesOfHosts.computeIfPresent(Urls.host(url), (_, count) -> (count > 1) ? count - 1 : null);
			return;
		}
		PageState again = isWhole ? known.unread() : known.again();
		put(url, again);
		if (known.gone() > 0 && Integer.bitCount(known.gone()) != 1 && !isRoot) {
			this.resting.put(url, "");
		}
		else if (again.isSitemap()) {
			// it may tell that pages need not be read
			this.waiting.add(url, 0);
		}
		else {
			// what the crawl before has not come to is next: else none would come to it
			boolean wasAsked = known.askedIn() >= this.numbers.getOrDefault(BEFORE, 0L);
			this.waiting.add(url, (again.depth() == 0) ? 0 : wasAsked ? again.depth() + 1 : 1);
		}
	}

	/** What is known of postings. */
	public KnownPostings postings() {
		return this.postings;
	}

	/** Whether a crawl goes on that was interrupted. */
	public boolean isResumed() {
		return this.isResumed;
	}

	/** When this crawl began, whatever interrupted it, in milliseconds since 1970. */
	public synchronized long begun() {
		return Objects.requireNonNull(this.numbers.get(BEGUN));
	}

	/** Hosts with pages that wait, at the start. */
	public synchronized Set<String> hosts() {
		return this.waiting.hosts();
	}

	/** The last version that anything has, in this crawl and before. */
	public synchronized long lastVersion() {
		return Math.max(this.numbers.getOrDefault(VERSION, 0L), this.numbers.getOrDefault(BEGUN, 0L));
	}

	/** Notes that something has a version. */
	public synchronized void noteVersion(long version) {
		this.numbers.put(VERSION, Math.max(lastVersion(), version));
	}

	/** Notes, for good, that all pages were read and only deletions are left. */
	public synchronized void beginDeletions() {
		this.marks.put(DELETING, "");
		commit();
	}

	/** Notes that no deletions are left. */
	public synchronized void endDeletions() {
		this.marks.remove(DELETING);
	}

	/** How many pages wait. */
	public synchronized int waiting() {
		return this.waiting.size();
	}

	/**
	 * Adds a page that nobody has seen yet, or not in this crawl since it was gone.
	 * @return what came of it
	 */
	public synchronized Added add(String url, PageState state) {
		if (this.known.contains(url)) {
			if (this.resting.remove(url) == null) {
				return Added.KNOWN;
			}
			this.waiting.add(url, state.depth());
			return Added.NEW;
		}
		String host = Urls.host(url);
		if (this.pagesOfHosts.size() >= MAX_HOSTS && !this.pagesOfHosts.containsKey(host)) {
			return Added.TOO_MANY;
		}
		if (this.pages.size() >= this.maxPages || this.pagesOfHosts.getOrDefault(host, 0) >= this.maxPagesPerHost) {
			return Added.TOO_MANY;
		}
		this.pagesOfHosts.merge(host, 1, Integer::sum);
		this.known.add(url);
		// the file may be written between the two, and must not have a page that never
		// waits
		this.waiting.add(url, state.depth());
		put(url, state);
		return Added.NEW;
	}

	/** Takes the next page of a host in hand, if one waits. */
	public synchronized Optional<WaitingPage> next(String host) {
		return this.waiting.next(host, this::stateOf);
	}

	/** Notes what is known of a page that stays in hand. */
	public synchronized void note(String url, PageState state) {
		put(url, state);
	}

	/** Notes that a page in hand was read, or can't be. */
	public synchronized void done(String url, PageState state) {
		put(url, state);
		this.waiting.release(url);
		noteRoot(url, state);
	}

	/** Has a page in hand wait once more, behind the others of its depth. */
	public synchronized void later(String url, PageState state) {
		put(url, state);
		this.waiting.again(url, state.depth());
	}

	/** Has a page in hand wait once more, behind all others of its host. */
	public synchronized void last(String url, PageState state) {
		put(url, state);
		this.waiting.last(url);
		noteRoot(url, state);
	}

	/**
	 * Notes that a sitemap says when a page was changed: it need not be read again where
	 * that was before it was read, and its postings still stand.
	 * @param modified milliseconds since 1970
	 */
	public synchronized void modified(String url, long modified) {
		PageState state = stateOf(url);
		if (state != null) {
			boolean stands = state.until() == 0 || state.until() > System.currentTimeMillis();
			if (state.readAt() > Math.max(0, modified) && state.missing().isEmpty() && stands
					&& this.postings.areOwned(state.postings())) {
				put(url, state.unchanged(begun()));
			}
		}
	}

	/**
	 * Notes that a page belongs to a root: it is the root, or that has moved there. The
	 * root is read once this page is. A page that is a root itself stays that one.
	 */
	public synchronized void addRoot(String url, String root) {
		if (!url.equals(this.rootPages.get(url))) {
			this.rootPages.put(url, root);
		}
		PageState known = stateOf(url);
		if (known != null) {
			noteRoot(url, known);
		}
	}

	/**
	 * Notes that a root has answered itself: what it had moved to belongs to it no more.
	 */
	public synchronized void stays(String root) {
		List.copyOf(this.rootPages.keySet())
			.stream()
			.filter((url) -> !url.equals(root) && root.equals(this.rootPages.get(url)))
			.forEach(this.rootPages::remove);
	}

	/** The root that a page belongs to, if it does. */
	public synchronized Optional<String> rootOf(String url) {
		return Optional.ofNullable(this.rootPages.get(url));
	}

	/** The pages that belong to roots. */
	public synchronized Set<String> rootPages() {
		return Set.copyOf(this.rootPages.keySet());
	}

	/**
	 * Whether this crawl knows what a page has, or that on which its redirects end: it
	 * was read, or is unchanged, or is gone.
	 */
	public synchronized boolean isSettled(String url) {
		return anyOnTheWay(url, (_, state) -> state.readAt() >= begun() || state.settledIn() == begun());
	}

	/** Whether a page, or one to which it has moved, is known and fits. */
	private boolean anyOnTheWay(String from, BiPredicate<String, PageState> fits) {
		String url = from;
		for (int i = 0; i < MOVES && url != null; i++) {
			PageState state = stateOf(url);
			if (state == null) {
				return false;
			}
			if (fits.test(url, state)) {
				return true;
			}
			url = state.movedTo();
		}
		return false;
	}

	/**
	 * Notes that a page was read, whatever it says, and with it the root it belongs to.
	 */
	public synchronized void noteRead(String url) {
		String root = this.rootPages.get(url);
		if (root != null) {
			this.roots.put(root, begun());
		}
	}

	private void noteRoot(String url, PageState state) {
		if (state.readAt() >= begun()) {
			noteRead(url);
		}
	}

	/** Whether a root was read in this crawl, whatever interrupted it. */
	public synchronized boolean isRootRead(String root) {
		return Objects.equals(this.roots.get(root), begun()) || anyOnTheWay(root,
				(url, _) -> Objects.equals(this.roots.get(this.rootPages.getOrDefault(url, url)), begun()));
	}

	/** Has the disk have all that was noted until now. */
	public synchronized void commit() {
		this.file.commit();
	}

	/** What is known of a page that is known. */
	synchronized PageState state(String url) {
		return Objects.requireNonNull(stateOf(url));
	}

	private @Nullable PageState stateOf(String url) {
		String state = this.pages.get(url);
		return (state != null) ? JSON.readValue(state, PageState.class) : null;
	}

	private void put(String url, PageState state) {
		this.pages.put(url, JSON.writeValueAsString(state));
	}

	@Override
	public synchronized void close() {
		this.file.close();
	}

}
