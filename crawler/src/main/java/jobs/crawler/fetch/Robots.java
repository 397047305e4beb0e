package jobs.crawler.fetch;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import crawlercommons.robots.SimpleRobotRules;
import crawlercommons.robots.SimpleRobotRules.RobotRule;
import crawlercommons.robots.SimpleRobotRulesParser;
import org.jspecify.annotations.Nullable;

/**
 * What a host says in its robots.txt (RFC 9309). The library reads the lines; the paths
 * are compared here, since its comparison overlooks some of them and allows what is
 * forbidden.
 *
 * @param rules for our agent
 * @param paths the same, in the order in which they decide
 * @param readAt when they were read
 * @param failure why nothing is allowed; {@code null} where the rules decide
 */
public record Robots(SimpleRobotRules rules, List<Path> paths, Instant readAt, @Nullable String failure) {

	/** Bytes of robots.txt that count. Source: RFC 9309, 2.5. */
	static final int MAX_BYTES = 500 * 1024;

	/** Source: RFC 9309, 2.4. */
	private static final Duration FRESH = Duration.ofDays(1);

	/** A host that asks for longer pauses is not crawled at all. */
	private static final Duration MAX_PAUSE = Duration.ofMinutes(5);

	/**
	 * The longest pattern decides, and of two equal ones that which allows. Source: RFC
	 * 9309, 2.2.2.
	 */
	private static final Comparator<RobotRule> BY_WEIGHT = Comparator
		.comparingInt((RobotRule rule) -> -rule.getPrefix().length())
		.thenComparing((rule) -> !rule.isAllow());

	/** Bytes that the path of a URL has escaped, as a pattern has none but as signs. */
	private static final boolean[] SIGNS = new boolean[128];

	static {
		SIGNS['*'] = true;
		SIGNS['$'] = true;
	}

	private Robots(SimpleRobotRules rules, Instant readAt, @Nullable String failure) {
		this(rules,
				rules.getRobotRules()
					.stream()
					.filter((rule) -> !rule.getPrefix().isEmpty())
					.sorted(BY_WEIGHT)
					.map((rule) -> new Path(PathPattern.of(rule.getPrefix()),
							PathPattern.of(comparable(rule.getPrefix())), rule.isAllow()))
					.toList(),
				readAt, failure);
	}

	/** Whether it must be read again. */
	boolean isOld(Instant now) {
		return this.readAt.plus(FRESH).isBefore(now);
	}

	/** Whether a page may be read. */
	public boolean allows(String url) {
		if (this.failure != null) {
			return false;
		}
		String path = path(url);
		String comparable = comparable(path);
		return path.equals("/robots.txt") || this.paths.stream()
			.filter((rule) -> rule.pattern().matches(path) || rule.comparable().matches(comparable))
			.findFirst()
			.map(Path::allows)
			.orElse(true);
	}

	private static String path(String url) {
		URI uri = URI.create(url);
		String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
		return SimpleRobotRules.escapePath((uri.getRawQuery() != null) ? path + "?" + uri.getRawQuery() : path, SIGNS);
	}

	/**
	 * In a query it does not matter whether these are escaped. Source: RFC 9309, figure
	 * 4.
	 */
	private static String comparable(String path) {
		int query = path.indexOf('?');
		return (query < 0 || path.indexOf('%', query) < 0) ? path
				: path.substring(0, query) + path.substring(query).replace("%3A", ":").replace("%2F", "/");
	}

	/** The pause that the host asks for between two requests. */
	public Duration pause() {
		return pause(this.rules);
	}

	private static Duration pause(SimpleRobotRules rules) {
		return Duration.ofMillis(Math.clamp(rules.getCrawlDelay(), 0, MAX_PAUSE.toMillis() + 1));
	}

	/** The addresses of sitemaps, wherever they are. */
	public List<String> sitemaps() {
		return this.rules.getSitemaps();
	}

	/**
	 * Reads the rules.
	 * @param url of robots.txt
	 * @param content of robots.txt
	 * @param product the name of our agent, as robots.txt has it
	 */
	static Robots of(String url, byte[] content, String product, Instant now) {
		byte[] counted = (content.length > MAX_BYTES) ? Arrays.copyOf(content, MAX_BYTES) : content;
		SimpleRobotRules rules = parser().parseContent(url, counted, "text/plain",
				Set.of(product.toLowerCase(Locale.ROOT)));
		boolean isSlow = pause(rules).compareTo(MAX_PAUSE) > 0;
		return new Robots(rules, now, isSlow ? "a pause of more than %s".formatted(MAX_PAUSE) : null);
	}

	/** There is no robots.txt, so that all is allowed. */
	static Robots none(Instant now) {
		return new Robots(new SimpleRobotRules(), now, null);
	}

	/** Nobody knows what is allowed, so that nothing is. */
	static Robots unknown(String failure, Instant now) {
		return new Robots(new SimpleRobotRules(), now, failure);
	}

	/**
	 * It would forbid all, and forget the sitemaps, where a pause is longer than its
	 * bound.
	 */
	private static SimpleRobotRulesParser parser() {
		return new SimpleRobotRulesParser(Long.MAX_VALUE, 0);
	}

	/**
	 * A rule.
	 *
	 * @param pattern as it stands there
	 * @param comparable the same with a query in its comparable form
	 * @param allows whether it allows what it matches
	 */
	record Path(PathPattern pattern, PathPattern comparable, boolean allows) {
	}

}
