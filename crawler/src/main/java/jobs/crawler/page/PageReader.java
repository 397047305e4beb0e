package jobs.crawler.page;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jobs.crawler.fetch.Answer;
import jobs.crawler.page.LenientJson.Read;
import jobs.crawler.url.Urls;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a page of HTML: its postings and its links, as far as its owner allows. Several
 * threads may share a reader.
 */
public final class PageReader {

	private static final Pattern REFRESH = Pattern
		.compile("(?i)\\s*[0-9.]+\\s*[;,]\\s*(?:url\\s*=\\s*)?['\"]?([^'\"]++).*");

	/** Characters of a refresh, beyond which it is none. */
	private static final int MAX_REFRESH = 2100;

	/** Elements that say something to a crawler. */
	private static final Set<String> NAMES = Set.of("meta", "script", "link", "a", "area", "iframe", "frame");

	/** Links of a page that count. */
	private static final int MAX_LINKS = 10_000;

	private final String product;

	private final boolean areIdentifiersTrusted;

	/**
	 * Makes a reader.
	 * @param product the name of our agent, by which a page may address it
	 * @param areIdentifiersTrusted whether postings with one {@code identifier} are one,
	 * whatever page shows them
	 */
	public PageReader(String product, boolean areIdentifiersTrusted) {
		this.product = product;
		this.areIdentifiersTrusted = areIdentifiersTrusted;
	}

	/**
	 * Reads a page.
	 * @throws InterruptedException where jsoup has read the page only in part, since the
	 * thread is interrupted
	 */
	public ReadPage read(String url, Answer.Page page) throws InterruptedException {
		Document document = document(url, page);
		if (Thread.currentThread().isInterrupted()) {
			throw new InterruptedException();
		}
		Directives directives = new Directives(this.product).headers(page.headers().allValues("X-Robots-Tag"));
		List<Element> elements = elements(document);
		named(elements, "meta").forEach((meta) -> directives.meta(meta.attr("name"), meta.attr("content")));
		JsonLd jsonLd = new JsonLd();
		List<String> repairs = new ArrayList<>();
		int broken = 0;
		for (String script : scripts(elements)) {
			Read read = LenientJson.read(script);
			if (read != null) {
				read.repairs().forEach((repair) -> repairs.add(repair.name().toLowerCase(Locale.ROOT)));
				jsonLd.read(read.node());
			}
			else {
				broken++;
			}
		}
		List<ObjectNode> contents = jsonLd.postings().isEmpty() ? Markup.postings(document) : jsonLd.postings();
		String base = Urls.normal(document.baseUri()).orElse("");
		return new ReadPage(
				directives.isNoIndex() ? List.of() : postings(url, base, canonical(url, base, elements), contents),
				directives.isNoFollow() ? Set.of() : links(base, elements, jsonLd.links()), repairs, broken);
	}

	/** One walk over the page for all. */
	static List<Element> elements(Document document) {
		return document.stream().filter((element) -> NAMES.contains(element.normalName())).toList();
	}

	private static Stream<Element> named(List<Element> elements, String name) {
		return elements.stream().filter((element) -> element.normalName().equals(name));
	}

	/** The scripts of JSON-LD that are not empty, in their order. */
	static List<String> scripts(List<Element> elements) {
		return named(elements, "script")
			.filter((script) -> script.attr("type").split(";", 2)[0].strip().equalsIgnoreCase("application/ld+json"))
			.map(Element::data)
			.filter((data) -> !data.isBlank())
			.toList();
	}

	private static Document document(String url, Answer.Page page) {
		try {
			return Jsoup.parse(new ByteArrayInputStream(page.body()), charset(page.charset()), url,
					Parser.htmlParser());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** What nobody knows is as if it were not there. */
	private static @Nullable String charset(@Nullable String name) {
		try {
			return (name != null && Charset.isSupported(name)) ? name : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static Set<String> links(String base, List<Element> elements, List<String> listed) {
		Set<String> links = new LinkedHashSet<>();
		for (Element element : elements) {
			String link = reference(element);
			if (link != null && !hasRel(element.attr("rel"), "nofollow") && links.size() < MAX_LINKS) {
				Urls.resolved(base, link).ifPresent(links::add);
			}
		}
		listed.stream().limit(MAX_LINKS).forEach((link) -> Urls.resolved(base, link).ifPresent(links::add));
		return links;
	}

	/** The page that an element leads to, or {@code null} where it leads to none. */
	private static @Nullable String reference(Element element) {
		return switch (element.normalName()) {
			case "a", "area" -> value(element, "href");
			case "link" -> isNeighbour(element.attr("rel")) ? value(element, "href") : null;
			case "iframe", "frame" -> value(element, "src");
			case "meta" -> refresh(element);
			default -> null;
		};
	}

	private static @Nullable String value(Element element, String name) {
		return element.hasAttr(name) ? element.attr(name) : null;
	}

	private static boolean isNeighbour(String rel) {
		return hasRel(rel, "next") || hasRel(rel, "prev") || hasRel(rel, "canonical");
	}

	private static boolean hasRel(String rel, String word) {
		if (rel.length() < word.length()) {
			return false;
		}
		for (String one : rel.strip().split("\\s+")) {
			if (one.equalsIgnoreCase(word)) {
				return true;
			}
		}
		return false;
	}

	private static @Nullable String refresh(Element meta) {
		String content = meta.attr("content");
		if (!meta.attr("http-equiv").equalsIgnoreCase("refresh") || content.length() > MAX_REFRESH) {
			return null;
		}
		Matcher matcher = REFRESH.matcher(content);
		return matcher.matches() ? matcher.group(1) : null;
	}

	/** Of two postings with one id and other content the place tells them apart. */
	private List<Posting> postings(String url, String base, String canonical, List<ObjectNode> contents) {
		Map<String, Set<ObjectNode>> byId = new LinkedHashMap<>();
		for (ObjectNode content : contents) {
			byId.computeIfAbsent(id(url, base, canonical, content), (_) -> new LinkedHashSet<>()).add(content);
		}
		List<Posting> postings = new ArrayList<>();
		byId.forEach((id, same) -> {
			int place = 0;
			for (ObjectNode content : same) {
				place++;
				String own = address(base, content);
				postings.add(new Posting(
						(same.size() == 1) ? id
								: shortened(url, id + "#" + ((own != null && !own.equals(id)) ? own : place)),
						content));
			}
		});
		return postings;
	}

	private String id(String url, String base, String canonical, ObjectNode content) {
		String identifier = this.areIdentifiersTrusted ? Posting.text(content.get("identifier")) : null;
		if (identifier != null) {
			return shortened(url, Urls.host(url) + ":" + identifier);
		}
		String address = address(base, content);
		String id = (address != null) ? address : canonical;
		// else anybody could replace the posting of another host
		boolean isOwn = Urls.host(id).equals(Urls.host(url));
		return shortened(url, isOwn ? id : Urls.host(url) + ":" + id);
	}

	/** The address that a posting has of its own. */
	private static @Nullable String address(String base, ObjectNode content) {
		for (String name : List.of("url", "@id")) {
			String address = Posting.text(content.get(name));
			if (address != null) {
				String resolved = Urls.resolved(base, address).orElse(null);
				if (resolved != null) {
					return address.contains("#") ? resolved + address.substring(address.indexOf('#')) : resolved;
				}
			}
		}
		return null;
	}

	private static String canonical(String url, String base, List<Element> elements) {
		return named(elements, "link").filter((link) -> hasRel(link.attr("rel"), "canonical") && link.hasAttr("href"))
			.findFirst()
			.flatMap((link) -> Urls.resolved(base, link.attr("href")))
			.orElse(url);
	}

	private static String shortened(String url, String id) {
		if (id.length() <= Posting.MAX_ID) {
			return id;
		}
		try {
			return Urls.host(url) + ":sha256:" + HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
