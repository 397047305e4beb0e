package jobs.crawler.page;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What the owner of a page allows beyond robots.txt, by {@code X-Robots-Tag} and by
 * {@code <meta name="robots">}.
 */
final class Directives {

	private static final Set<String> WITH_VALUE = Set.of("unavailable_after", "max-snippet", "max-image-preview",
			"max-video-preview");

	private final String product;

	private final Set<String> words = new HashSet<>();

	/**
	 * Nothing is forbidden yet.
	 * @param product the name of our agent
	 */
	Directives(String product) {
		this.product = product;
	}

	/** Reads headers, in which the name of an agent may stand before what is for it. */
	Directives headers(List<String> values) {
		for (String value : values) {
			boolean isOurs = true;
			for (String part : value.split(",")) {
				int colon = part.indexOf(':');
				String agent = (colon < 0) ? "" : part.substring(0, colon).strip().toLowerCase(Locale.ROOT);
				boolean isAgent = !agent.isEmpty() && !WITH_VALUE.contains(agent);
				if (isAgent) {
					isOurs = agent.equals(this.product.toLowerCase(Locale.ROOT)) || agent.equals("*");
				}
				if (isOurs) {
					add(isAgent ? part.substring(colon + 1) : part);
				}
			}
		}
		return this;
	}

	/** Reads an element of a page. */
	void meta(String name, String content) {
		if (name.strip().equalsIgnoreCase("robots") || name.strip().equalsIgnoreCase(this.product)) {
			add(content);
		}
	}

	private void add(String directives) {
		for (String word : directives.split(",")) {
			this.words.add(word.strip().toLowerCase(Locale.ROOT));
		}
	}

	/** Whether nothing of the page may be kept. */
	boolean isNoIndex() {
		return this.words.contains("noindex") || this.words.contains("none");
	}

	/** Whether no link of the page may be followed. */
	boolean isNoFollow() {
		return this.words.contains("nofollow") || this.words.contains("none");
	}

}
