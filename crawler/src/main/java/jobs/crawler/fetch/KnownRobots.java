package jobs.crawler.fetch;

import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What sites say in their robots.txt, by scheme, host and port: RFC 9309 has one for
 * each. It is bounded in rules, since one file may have any number of them; what was used
 * least lately goes first. Several threads may share it.
 */
final class KnownRobots {

	/** Rules of all sites together, of some hundred bytes each. */
	static final int MAX_RULES = 100_000;

	/** What a site weighs beside its rules. */
	private static final int SITE = 4;

	private final Map<String, Robots> sites = new LinkedHashMap<>(16, 0.75F, true);

	private int rules;

	/** What is known of a site, unless it must be read again. */
	synchronized @Nullable Robots get(String site, Instant now) {
		Robots known = this.sites.get(site);
		return (known == null || known.isOld(now)) ? null : known;
	}

	/** Keeps what a site says, in place of others if need be. */
	synchronized void put(String site, Robots robots) {
		this.rules += weight(robots);
		Robots before = this.sites.put(site, robots);
		if (before != null) {
			this.rules -= weight(before);
		}
		for (Iterator<Robots> eldest = this.sites.values().iterator(); this.rules > MAX_RULES
				&& this.sites.size() > 1;) {
			this.rules -= weight(eldest.next());
			eldest.remove();
		}
	}

	private static int weight(Robots robots) {
		return SITE + robots.paths().size() + robots.sitemaps().size();
	}

}
