package jobs.crawler.url;

import java.net.IDN;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import crawlercommons.filters.basic.BasicURLNormalizer;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/**
 * Writes each URL in one form, so that one page is one URL: no fragment, no default port,
 * no dots in the path, no session and no mark of a campaign. What is left can be asked
 * for ({@link URI}).
 */
public final class Urls {

	/** Characters beyond which nobody means a page. */
	private static final int MAX_LENGTH = 2048;

	private static final Pattern PORT = Pattern.compile("[0-9]{0,5}");

	private static final Pattern SESSION = Pattern.compile("(?i);jsessionid=[^/]*");

	private static final Pattern CAMPAIGN = Pattern
		.compile("(?i)(utm_[a-z_]+|gclid|fbclid|msclkid|phpsessid|jsessionid)(=.*)?");

	private Urls() {
	}

	/** The usual form of an absolute URL of http or https, or nothing. */
	public static Optional<String> normal(String url) {
		String text = url.strip();
		if (text.length() > MAX_LENGTH) {
			return Optional.empty();
		}
		int scheme = text.indexOf("://");
		int end = firstOf(text, scheme + 3, "/?#\\");
		if (scheme < 0 || end == scheme + 3) {
			return Optional.empty();
		}
		String protocol = text.substring(0, scheme).toLowerCase(Locale.ROOT);
		String authority = authority(protocol, text.substring(scheme + 3, end));
		if (authority == null || !(protocol.equals("http") || protocol.equals("https"))) {
			return Optional.empty();
		}
		String rest = text.substring(end, firstOf(text, end, "#"));
		int query = firstOf(rest, 0, "?");
		try {
			String path = rest.substring(0, query);
			path = isUsualPath(path) ? path : usualPath(path);
			String parameters = parameters(rest.substring(Math.min(query + 1, rest.length())));
			URI usual = new URI(protocol + "://" + authority + path + parameters);
			// a name with an underscore is no host to java.net
			return Optional.ofNullable(usual.getHost()).map((_) -> usual.toString());
		}
		catch (URISyntaxException | RuntimeException ex) {
			return Optional.empty();
		}
	}

	/**
	 * Resolves a reference on a page, as browsers do, and writes it in its usual form.
	 * @param base of the page, in its usual form
	 */
	public static Optional<String> resolved(String base, String reference) {
		String text = withSlashes(reference.strip());
		String origin = origin(base);
		String path = text.startsWith(origin) ? text.substring(origin.length()) : text;
		if (!origin.isEmpty() && isUsualPath(path) && origin.length() + path.length() <= MAX_LENGTH) {
			// most links of a page
			return Optional.of(origin + path);
		}
		Element link = new Element("a");
		link.setBaseUri(base);
		link.attr("href", text);
		return normal(link.absUrl("href"));
	}

	/** Before the query browsers take a backslash for a slash. */
	private static String withSlashes(String reference) {
		int end = firstOf(reference, 0, "?#");
		return (reference.lastIndexOf('\\', end) < 0) ? reference
				: reference.substring(0, end).replace('\\', '/') + reference.substring(end);
	}

	/** What stands before the path of a URL in its usual form. */
	public static String origin(String url) {
		return url.substring(0, Math.max(0, url.indexOf('/', url.indexOf("://") + 3)));
	}

	/** The host of a URL in its usual form, without the port. */
	public static String host(String url) {
		String site = site(url);
		int colon = site.lastIndexOf(':');
		return (colon < 0 || site.endsWith("]")) ? site : site.substring(0, colon);
	}

	/**
	 * The host of a URL in its usual form, and its port where that is not the usual one.
	 */
	public static String site(String url) {
		String origin = origin(url);
		return origin.substring(origin.indexOf("://") + 3);
	}

	/**
	 * Whether a path stays as it is: it has nothing to escape, to unescape or to leave
	 * out.
	 */
	private static boolean isUsualPath(String path) {
		if (!path.startsWith("/") || path.startsWith("//")) {
			return false;
		}
		for (int i = 1; i < path.length(); i++) {
			char c = path.charAt(i);
			boolean isUsual = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
					|| "/-_".indexOf(c) >= 0 || c == '.' && path.charAt(i - 1) != '/';
			if (!isUsual) {
				return false;
			}
		}
		return true;
	}

	private static String usualPath(String path) {
		String escaped = BasicURLNormalizer.escapePath(BasicURLNormalizer.unescapePath(path.replace('\\', '/')));
		return withoutDots(SESSION.matcher(escaped).replaceFirst(""));
	}

	/** Source: RFC 3986, 5.2.4. */
	private static String withoutDots(String path) {
		Deque<String> segments = new ArrayDeque<>();
		String[] all = path.split("/", -1);
		for (int i = 1; i < all.length; i++) {
			boolean isLast = i == all.length - 1;
			if (all[i].equals("..")) {
				segments.pollLast();
			}
			else if (!all[i].equals(".")) {
				segments.addLast(all[i]);
				continue;
			}
			if (isLast) {
				segments.addLast("");
			}
		}
		return "/" + String.join("/", segments);
	}

	private static @Nullable String authority(String protocol, String text) {
		String host = text.substring(text.lastIndexOf('@') + 1);
		String port = "";
		int colon = host.lastIndexOf(':');
		if (colon >= 0 && !host.endsWith("]")) {
			port = host.substring(colon + 1);
			host = host.substring(0, colon);
		}
		if (!PORT.matcher(port).matches() || host.isEmpty()) {
			return null;
		}
		try {
			host = host.startsWith("[") ? host.toLowerCase(Locale.ROOT)
					: IDN.toASCII(host.endsWith(".") ? host.substring(0, host.length() - 1) : host)
						.toLowerCase(Locale.ROOT);
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
		boolean isUsual = port.isEmpty() || Integer.parseInt(port) == (protocol.equals("https") ? 443 : 80);
		return isUsual ? host : host + ":" + Integer.parseInt(port);
	}

	/** A query in its order, without what campaigns add. */
	private static String parameters(String query) {
		String kept = Arrays.stream(query.split("&"))
			.filter((parameter) -> !parameter.isEmpty() && !CAMPAIGN.matcher(parameter).matches())
			.collect(Collectors.joining("&"));
		return kept.isEmpty() ? "" : "?" + BasicURLNormalizer.escapePath(kept).replace("|", "%7C");
	}

	private static int firstOf(String text, int from, String characters) {
		for (int i = Math.max(0, from); i < text.length(); i++) {
			if (characters.indexOf(text.charAt(i)) >= 0) {
				return i;
			}
		}
		return text.length();
	}

}
