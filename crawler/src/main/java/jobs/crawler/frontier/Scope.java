package jobs.crawler.frontier;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

import com.google.re2j.Matcher;
import crawlercommons.domains.EffectiveTldFinder;
import jobs.crawler.url.Urls;

/**
 * Which pages belong to a crawl: by host, by patterns, and as far as they do not look
 * like a trap. Several threads may share it.
 */
public final class Scope {

	/** A page looks like a trap. */
	private static final String TRAP = "trap";

	/** A page is too many links from a root. */
	private static final String TOO_DEEP = "too deep";

	/** The same segment so often in one path is no folder. */
	private static final int REPEATED_SEGMENTS = 3;

	/** Pages that look alike, have no posting and lead only to their like. */
	private static final int BARREN = 200;

	/** Kinds of pages that are counted. */
	private static final int SHAPES = 10_000;

	/** Links of all kinds that are remembered; beyond, each counts as new. */
	private static final int LEADS = 200_000;

	private static final Pattern SEGMENTS = Pattern.compile("[/?]");

	private final boolean isByDomain;

	private final List<com.google.re2j.Pattern> included;

	private final List<com.google.re2j.Pattern> excluded;

	private final int maxDepth;

	private final Set<String> sites = ConcurrentHashMap.newKeySet();

	private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

	private final AtomicInteger leads = new AtomicInteger();

	/**
	 * Makes a scope without hosts.
	 * @param isByDomain whether all hosts of a registered domain belong to it
	 * @param included patterns of which a URL matches one; none for all
	 * @param excluded patterns of which a URL matches none
	 * @param maxDepth links from a root
	 */
	public Scope(boolean isByDomain, List<com.google.re2j.Pattern> included, List<com.google.re2j.Pattern> excluded,
			int maxDepth) {
		this.isByDomain = isByDomain;
		this.included = List.copyOf(included);
		this.excluded = List.copyOf(excluded);
		this.maxDepth = maxDepth;
	}

	/** Adds the host of a root, or of what a root has moved to. */
	public void addRoot(String url) {
		this.sites.add(site(url));
	}

	/** Why a page does not belong to the crawl, or an empty text where it does. */
	public String refusal(String url, int depth) {
		if (!this.sites.contains(site(url))) {
			return "other host";
		}
		if (depth > this.maxDepth) {
			return TOO_DEEP;
		}
		if (!this.included.isEmpty() && this.included.stream().noneMatch((one) -> matches(one, url))
				|| this.excluded.stream().anyMatch((one) -> matches(one, url))) {
			return "pattern";
		}
		Kind kind = this.kinds.get(shape(url));
		return (isRepeated(url) || kind != null && kind.isTrap()) ? TRAP : "";
	}

	/** Whether a page is on one of the hosts. */
	public boolean hasHost(String url) {
		return this.sites.contains(site(url));
	}

	private static boolean matches(com.google.re2j.Pattern pattern, String url) {
		Matcher matcher = pattern.matcher(url);
		return matcher.find();
	}

	/**
	 * Notes what a page had. Pages that look alike are a trap when many of them had no
	 * posting, and led nowhere that others of them had not led before.
	 * @param hasPosting whether it has a posting, or had one
	 * @param links that belong to the crawl
	 */
	public void read(String url, boolean hasPosting, Collection<String> links) {
		String shape = shape(url);
		Kind kind = (this.kinds.size() < SHAPES) ? this.kinds.computeIfAbsent(shape, (_) -> new Kind(this.leads))
				: this.kinds.get(shape);
		if (kind != null) {
			kind.read(hasPosting, links.stream().filter((link) -> !shape(link).equals(shape)).toList());
		}
	}

	/** What pages have in common that differ in numbers and values alone. */
	public static String shape(String url) {
		StringBuilder shape = new StringBuilder(url.length());
		boolean isQuery = false;
		boolean isValue = false;
		boolean isNumber = false;
		for (int i = 0; i < url.length(); i++) {
			char c = url.charAt(i);
			boolean wasNumber = isNumber;
			isQuery |= c == '?';
			isValue = isQuery && (c == '=' || isValue && c != '&');
			isNumber = !isQuery && c >= '0' && c <= '9';
			if (!isValue && !(isNumber && wasNumber)) {
				shape.append(isNumber ? '0' : c);
			}
		}
		return shape.toString();
	}

	private static boolean isRepeated(String url) {
		if (url.chars().filter((c) -> c == '/' || c == '?').count() < 3 + REPEATED_SEGMENTS) {
			return false;
		}
		String[] segments = SEGMENTS.split(url);
		for (int i = 3; i < segments.length; i++) {
			int same = 0;
			for (int j = 3; j < segments.length; j++) {
				same += (!segments[i].isEmpty() && segments[i].equals(segments[j])) ? 1 : 0;
			}
			if (same > REPEATED_SEGMENTS) {
				return true;
			}
		}
		return false;
	}

	private String site(String url) {
		return this.isByDomain ? EffectiveTldFinder.getAssignedDomain(Urls.host(url), false, false) : Urls.site(url);
	}

	/** Pages that look alike. */
	private static final class Kind {

		/** Hashes of the links to pages that look otherwise. */
		private final Set<Integer> leads = new HashSet<>();

		/** How many those of all kinds are. */
		private final AtomicInteger all;

		private boolean hasPostings;

		private int barren;

		private Kind(AtomicInteger all) {
			this.all = all;
		}

		synchronized void read(boolean hasPosting, List<String> links) {
			if (this.hasPostings || hasPosting) {
				// it is no trap, whatever it leads to
				this.hasPostings = true;
				this.all.addAndGet(-this.leads.size());
				this.leads.clear();
				return;
			}
			boolean isUseful = false;
			for (String link : links) {
				isUseful |= isNew(link.hashCode());
			}
			this.barren = isUseful ? 0 : this.barren + 1;
		}

		private boolean isNew(int link) {
			if (this.all.get() >= LEADS) {
				return true;
			}
			boolean isNew = this.leads.add(link);
			this.all.addAndGet(isNew ? 1 : 0);
			return isNew;
		}

		synchronized boolean isTrap() {
			return !this.hasPostings && this.barren >= BARREN;
		}

	}

}
