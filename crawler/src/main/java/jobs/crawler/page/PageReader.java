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

import jobs.crawler.fetch.Answer;
import jobs.crawler.frontier.Urls;
import jobs.crawler.page.LenientJson.Read;
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

	/** Links of a page that count. */
	private static final int MAX_LINKS = 10_000;

	private final String product;

	/**
	 * Makes a reader.
	 * @param product the name of our agent, by which a page may address it
	 */
	public PageReader(String product) {
		this.product = product;
	}

	/** Reads a page. */
	public ReadPage read(String url, Answer.Page page) {
		Document document = document(url, page);
		Directives directives = new Directives(this.product).headers(page.headers().allValues("X-Robots-Tag"));
		document.select("meta[name][content]")
			.forEach((element) -> directives.meta(element.attr("name"), element.attr("content")));
		JsonLd jsonLd = new JsonLd();
		List<String> repairs = new ArrayList<>();
		int broken = 0;
		for (String script : scripts(document)) {
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
		return new ReadPage(directives.isNoIndex() ? List.of() : postings(url, document, contents),
				directives.isNoFollow() ? Set.of() : links(document, jsonLd.links()), repairs, broken);
	}

	/** The scripts of JSON-LD that are not empty, in their order. */
	static List<String> scripts(Document document) {
		return document.select("script[type]")
			.stream()
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

	private static Set<String> links(Document document, List<String> listed) {
		Set<String> links = new LinkedHashSet<>();
		for (Element element : document
			.select("a[href], area[href], link[rel][href], iframe[src], frame[src], meta[http-equiv][content]")) {
			String link = switch (element.normalName()) {
				case "link" -> isNeighbour(element.attr("rel")) ? element.absUrl("href") : "";
				case "iframe", "frame" -> element.absUrl("src");
				case "meta" -> refresh(element);
				default -> element.absUrl("href");
			};
			if (!link.isEmpty() && !hasRel(element.attr("rel"), "nofollow") && links.size() < MAX_LINKS) {
				Urls.normal(link).ifPresent(links::add);
			}
		}
		listed.forEach((link) -> Urls.resolved(document.baseUri(), link).ifPresent(links::add));
		return links;
	}

	private static boolean isNeighbour(String rel) {
		return hasRel(rel, "next") || hasRel(rel, "prev") || hasRel(rel, "canonical");
	}

	private static boolean hasRel(String rel, String word) {
		for (String one : rel.strip().split("\\s+")) {
			if (one.equalsIgnoreCase(word)) {
				return true;
			}
		}
		return false;
	}

	private static String refresh(Element meta) {
		String content = meta.attr("content");
		if (content.length() > MAX_REFRESH) {
			return "";
		}
		Matcher matcher = REFRESH.matcher(content);
		return (meta.attr("http-equiv").equalsIgnoreCase("refresh") && matcher.matches())
				? Urls.resolved(meta.baseUri(), matcher.group(1)).orElse("") : "";
	}

	/** Of two postings with one id and other content the place tells them apart. */
	private static List<Posting> postings(String url, Document document, List<ObjectNode> contents) {
		Map<String, Set<ObjectNode>> byId = new LinkedHashMap<>();
		for (ObjectNode content : contents) {
			byId.computeIfAbsent(id(url, document, content), (_) -> new LinkedHashSet<>()).add(content);
		}
		List<Posting> postings = new ArrayList<>();
		byId.forEach((id, same) -> {
			int place = 0;
			for (ObjectNode content : same) {
				place++;
				String own = address(document, content);
				postings.add(new Posting(
						(same.size() == 1) ? id
								: shortened(url, id + "#" + ((own != null && !own.equals(id)) ? own : place)),
						content));
			}
		});
		return postings;
	}

	private static String id(String url, Document document, ObjectNode content) {
		String identifier = Posting.text(content.get("identifier"));
		if (identifier != null) {
			return shortened(url, Urls.host(url) + ":" + identifier);
		}
		String address = address(document, content);
		return shortened(url, (address != null) ? address : canonical(url, document));
	}

	/** The address that a posting has of its own. */
	private static @Nullable String address(Document document, ObjectNode content) {
		for (String name : List.of("url", "@id")) {
			String address = Posting.text(content.get(name));
			if (address != null) {
				String resolved = Urls.resolved(document.baseUri(), address).orElse(null);
				if (resolved != null) {
					return address.contains("#") ? resolved + address.substring(address.indexOf('#')) : resolved;
				}
			}
		}
		return null;
	}

	private static String canonical(String url, Document document) {
		for (Element link : document.select("link[rel][href]")) {
			if (hasRel(link.attr("rel"), "canonical")) {
				return Urls.normal(link.absUrl("href")).orElse(url);
			}
		}
		return url;
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
