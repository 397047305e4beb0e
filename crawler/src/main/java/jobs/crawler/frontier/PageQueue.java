package jobs.crawler.frontier;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import jobs.crawler.url.Urls;
import org.h2.mvstore.MVMap;
import org.jspecify.annotations.Nullable;

/**
 * The pages that wait, in a file. Those of a host wait in the order of their depth, and
 * within that in the order in which they came. A page in hand waits in the file until it
 * is {@linkplain #release released}, so that a crawl that was killed reads it again. For
 * one thread at a time.
 */
final class PageQueue {

	/**
	 * A depth behind all others: pages that are read once more before a posting counts as
	 * gone.
	 */
	private static final int LAST = 9999;

	private static final String LAST_KEY = Integer.toString(LAST);

	/** The number of the page that comes next. */
	private static final String NEXT = "next";

	/** The URLs, by host, depth and number. */
	private final MVMap<String, String> waiting;

	/** Those of the whole frontier, since its file has always had {@link #NEXT} there. */
	private final MVMap<String, Long> numbers;

	/** The key in {@link #waiting} of each page in hand. */
	private final Map<String, String> inHand = new HashMap<>();

	/** Behind which key of a host the next page waits, but for those in hand. */
	private final Map<String, String> cursors = new HashMap<>();

	private final Set<String> hosts = new HashSet<>();

	PageQueue(CrawlFile file) {
		this.waiting = file.texts("waiting");
		this.numbers = file.numbers("numbers");
		this.waiting.keyIterator(null).forEachRemaining((key) -> this.hosts.add(hostOf(key)));
	}

	boolean isEmpty() {
		return this.waiting.isEmpty();
	}

	int size() {
		return this.waiting.size();
	}

	/** Hosts with pages that have waited since the start. */
	Set<String> hosts() {
		return Set.copyOf(this.hosts);
	}

	void clear() {
		this.waiting.clear();
		this.hosts.clear();
	}

	/** Has a page wait. */
	void add(String url, int depth) {
		long number = this.numbers.getOrDefault(NEXT, 0L);
		this.numbers.put(NEXT, number + 1);
		String host = Urls.host(url);
		String key = "%s\0%04d%012d".formatted(host, depth, number);
		this.waiting.put(key, url);
		this.hosts.add(host);
		String cursor = this.cursors.get(host);
		if (cursor != null && cursor.compareTo(key) > 0) {
			this.cursors.remove(host);
		}
	}

	/**
	 * Takes the next page of a host in hand, if one waits.
	 * @param states what is known of a page; {@code null} where a kill was between the
	 * page's two entries, and it waits no more: who leads to it waits, too
	 */
	Optional<WaitingPage> next(String host, Function<String, @Nullable PageState> states) {
		String from = host + '\0';
		String key = this.waiting.higherKey(this.cursors.getOrDefault(host, from));
		while (key != null && key.startsWith(from)) {
			this.cursors.put(host, key);
			String url = Objects.requireNonNull(this.waiting.get(key));
			PageState state = states.apply(url);
			if (state == null) {
				this.waiting.remove(key);
			}
			else if (this.inHand.putIfAbsent(url, key) == null) {
				return Optional.of(new WaitingPage(url, state, key.startsWith(LAST_KEY, from.length())));
			}
			key = this.waiting.higherKey(key);
		}
		return Optional.empty();
	}

	/** Has a page in hand wait no more. */
	void release(String url) {
		String key = this.inHand.remove(url);
		if (key != null) {
			this.waiting.remove(key);
		}
	}

	/** Has a page in hand wait once more, behind the others of its depth. */
	void again(String url, int depth) {
		// it may be there twice for a moment, but never not at all
		String before = this.inHand.remove(url);
		add(url, depth);
		if (before != null) {
			this.waiting.remove(before);
		}
	}

	/** Has a page in hand wait once more, behind all others of its host. */
	void last(String url) {
		again(url, LAST);
	}

	private static String hostOf(String key) {
		return key.substring(0, key.indexOf('\0'));
	}

}
