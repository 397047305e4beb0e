package jobs.crawler.frontier;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

import com.google.re2j.Matcher;
import crawlercommons.domains.EffectiveTldFinder;

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

	/** Links of one kind that are remembered; beyond, each counts as new. */
	private static final int LEADS = 20_000;

	private static final Pattern DIGITS = Pattern.compile("[0-9]+");

	private static final Pattern VALUES = Pattern.compile("=[^&]*");

	private final boolean isByDomain;

	private final List<com.google.re2j.Pattern> included;

	private final List<com.google.re2j.Pattern> excluded;

	private final int maxDepth;

	private final Set<String> sites = ConcurrentHashMap.newKeySet();

	private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

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
		Kind kind = (this.kinds.size() < SHAPES) ? this.kinds.computeIfAbsent(shape, (_) -> new Kind())
				: this.kinds.get(shape);
		if (kind != null) {
			kind.read(hasPosting, links.stream().filter((link) -> !shape(link).equals(shape)).toList());
		}
	}

	/** What pages have in common that differ in numbers and values alone. */
	public static String shape(String url) {
		int query = url.indexOf('?');
		return (query < 0) ? DIGITS.matcher(url).replaceAll("0")
				: DIGITS.matcher(url.substring(0, query)).replaceAll("0")
						+ VALUES.matcher(url.substring(query)).replaceAll("");
	}

	private static boolean isRepeated(String url) {
		String[] segments = url.split("[/?]");
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

		private boolean hasPostings;

		private int barren;

		synchronized void read(boolean hasPosting, List<String> links) {
			this.hasPostings |= hasPosting;
			boolean isUseful = hasPosting;
			for (String link : links) {
				isUseful |= this.leads.size() >= LEADS || this.leads.add(link.hashCode());
			}
			this.barren = isUseful ? 0 : this.barren + 1;
		}

		synchronized boolean isTrap() {
			return !this.hasPostings && this.barren >= BARREN;
		}

	}

}
