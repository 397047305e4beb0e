package jobs.crawler;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPOutputStream;

import jobs.crawler.Site.Response;
import org.jsoup.nodes.Entities;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Real postings as the pages of career sites, in ten styles, one in ten broken in one of
 * the ways that sites have, among traps. It knows which postings a crawl has to bring.
 */
final class CareerSite implements Site.Handler {

	/** Postings of a list. */
	private static final int PAGE = 50;

	private static final int STYLES = 10;

	/** Ways of being broken. */
	private static final int FAULTS = 7;

	private static final JsonMapper JSON = JsonMapper.shared();

	private final Site site;

	private final int hosts;

	private final List<JsonNode> postings = new ArrayList<>();

	/** Pages that have failed once already. */
	private final Set<String> failed = ConcurrentHashMap.newKeySet();

	/**
	 * Makes pages of a file with a posting a line.
	 * @param copies of each posting
	 */
	CareerSite(Site site, int hosts, Path file, int copies) throws IOException {
		this.site = site;
		this.hosts = hosts;
		List<String> lines = Files.readAllLines(file);
		for (int copy = 0; copy < copies; copy++) {
			lines.stream().map(JSON::readTree).forEach(this.postings::add);
		}
		site.answer(this);
	}

	/** The titles that a crawl has to bring, by the ids. */
	Map<String, String> expected() {
		Map<String, String> expected = new TreeMap<>();
		for (int i = 0; i < this.postings.size(); i++) {
			if (!isOver(i)) {
				expected.put("127.0.0.%d:J-%d".formatted(host(i), i), title(i));
			}
		}
		return expected;
	}

	String root() {
		return this.site.origin(1) + "/";
	}

	/** Roots beside the first. */
	List<String> others() {
		List<String> others = new ArrayList<>();
		for (int i = 2; i <= this.hosts; i++) {
			others.add(this.site.origin(i) + "/");
		}
		return others;
	}

	private int host(int posting) {
		return posting % this.hosts + 1;
	}

	private String title(int i) {
		return this.postings.get(i).get("title").asString().strip();
	}

	private static boolean isOver(int i) {
		return i % 97 == 96;
	}

	@Override
	public @Nullable Response answer(String url) throws IOException {
		URI uri = URI.create(url);
		int host = Integer.parseInt(uri.getHost().substring(uri.getHost().lastIndexOf('.') + 1));
		String path = uri.getPath();
		if (path.equals("/robots.txt")) {
			return Response.text("text/plain",
					"User-agent: *\nDisallow: /admin\nDisallow: /*.pdf$\nAllow: /\nSitemap: /sitemap.xml\n");
		}
		if (path.equals("/sitemap.xml")) {
			return Response.text("application/xml", sitemap(host));
		}
		if (path.equals("/")) {
			return Response.html(Site.links("/jobs?page=0", "/admin/jobs", "/terms.pdf", "/loop/a", "/calendar/2026/1",
					"/broken", "/deep/", "/slow", "https://127.0.0.250/", "mailto:ann@example.org"));
		}
		if (path.equals("/jobs")) {
			return Response.html(list(host, Integer.parseInt(uri.getQuery().replace("page=", ""))));
		}
		if (path.startsWith("/jobs/")) {
			return posting(url, Integer.parseInt(path.substring(6)));
		}
		if (path.startsWith("/old/")) {
			return Response.of(301, "Location", "/jobs/" + path.substring(5));
		}
		if (path.startsWith("/loop/")) {
			return Response.of(302, "Location", path.endsWith("a") ? "/loop/b" : "/loop/a");
		}
		if (path.startsWith("/calendar/")) {
			String[] parts = path.split("/");
			int month = Integer.parseInt(parts[3]);
			return Response.html(Site.links("/calendar/%s/%d".formatted(parts[2], month + 1),
					"/calendar/%d/1".formatted(Integer.parseInt(parts[2]) + 1)));
		}
		if (path.startsWith("/deep/")) {
			return Response.html(Site.links("more/"));
		}
		return path.equals("/broken") ? Response.of(500) : null;
	}

	/** Some postings stand in the sitemap alone. */
	private String sitemap(int host) {
		StringBuilder xml = new StringBuilder("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">");
		for (int i = host - 1; i < this.postings.size(); i += this.hosts) {
			if (isInSitemap(i)) {
				xml.append("<url><loc>")
					.append(this.site.origin(host))
					.append("/jobs/")
					.append(i)
					.append("</loc></url>");
			}
		}
		return xml.append("</urlset>").toString();
	}

	private static boolean isInSitemap(int i) {
		return i % 11 == 5;
	}

	private String list(int host, int page) {
		List<String> links = new ArrayList<>();
		int first = page * PAGE * this.hosts + host - 1;
		for (int i = first; i < Math.min(this.postings.size(), first + PAGE * this.hosts); i += this.hosts) {
			if (!isInSitemap(i)) {
				links.add((i % 13 == 0) ? "/old/" + i : "/jobs/" + i + ((i % 7 == 0) ? "?utm_source=list#top" : ""));
			}
		}
		if (first + PAGE * this.hosts < this.postings.size()) {
			links.add("/jobs?page=" + (page + 1));
		}
		return Site.links(links.toArray(String[]::new));
	}

	private Response posting(String url, int i) throws IOException {
		if (i % 41 == 7 && this.failed.add(url)) {
			return Response.of(503);
		}
		int style = i % STYLES;
		if (style == 5) {
			return Response.html(microdata(i));
		}
		if (style == 6) {
			return Response.html(rdfa(i));
		}
		String html = "<html><head>%s</head><body><p>%s</p></body></html>".formatted(scripts(i, style),
				Entities.escape(title(i)).repeat(20));
		if (style != 8) {
			return Response.html(html);
		}
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
			out.write(html.getBytes(Charset.forName("UTF-16")));
		}
		return new Response(200, Map.of("Content-Type", "text/html", "Content-Encoding", "gzip"), bytes.toByteArray());
	}

	private ObjectNode content(int i) {
		ObjectNode content = JsonNodeFactory.instance.objectNode();
		content.put("@context", (i % 2 == 0) ? "https://schema.org" : "http://schema.org/");
		content.put("@type", "JobPosting");
		content.put("title", title(i));
		content.put("description", this.postings.get(i).path("description").asString(""));
		content.put("identifier", "J-" + i);
		if (isOver(i)) {
			content.put("validThrough", "2024-12-31");
		}
		return content;
	}

	private String scripts(int i, int style) {
		ObjectNode content = content(i);
		JsonNodeFactory json = JsonNodeFactory.instance;
		String first = "";
		JsonNode whole = content;
		switch (style) {
			case 1 -> {
				whole = json.arrayNode().add(json.objectNode().put("@type", "Organization")).add(content);
			}
			case 2 -> {
				content.remove("@context");
				ObjectNode graph = json.objectNode().put("@context", "https://schema.org");
				graph.set("@graph", json.arrayNode().add(json.objectNode().put("@type", "WebPage")).add(content));
				whole = graph;
			}
			case 3 -> {
				first = script("{\"@context\":\"https://schema.org\",\"@type\":\"BreadcrumbList\"}");
			}
			case 4 -> content.set("@type", json.arrayNode().add("Thing").add("JobPosting"));
			case 7 -> {
				ArrayNode items = json.arrayNode();
				ObjectNode item = json.objectNode().put("@type", "ListItem");
				item.set("item", content);
				ObjectNode list = json.objectNode().put("@context", "https://schema.org").put("@type", "ItemList");
				list.set("itemListElement", items.add(item));
				whole = list;
			}
			case 9 -> {
				ObjectNode identifier = json.objectNode().put("@type", "PropertyValue").put("name", "Acme");
				content.set("identifier", identifier.put("value", "J-" + i));
			}
			default -> {
			}
		}
		String text = JSON.writeValueAsString(whole).replace("</", "<\\/");
		return first + script((i / STYLES % 10 == 3) ? broken(text, i / 100 % FAULTS) : text);
	}

	private static String script(String json) {
		return "<script type=\"application/ld+json\">" + json + "</script>";
	}

	private static String broken(String json, int fault) {
		return switch (fault) {
			case 0 -> json.replace("\"description\":\"", "\"description\":\"First line\nsecond line\t");
			case 1 -> Entities.escape(json).replace("\"", "&quot;");
			case 2 -> "\n//<![CDATA[\n" + json + "\n//]]>\n";
			case 3 -> json + ";";
			case 4 -> json.substring(0, json.length() - 1) + "," + json.substring(json.length() - 1);
			case 5 -> "/* job */ " + json + " // end";
			default -> "<!-- " + json + " -->";
		};
	}

	private String microdata(int i) {
		return """
				<html><body><div itemscope itemtype="http://schema.org/JobPosting"><h1 itemprop="title">%s</h1>
				<meta itemprop="identifier" content="J-%d">%s<p itemprop="description">%s</p></div></body></html>"""
			.formatted(Entities.escape(title(i)), i,
					isOver(i) ? "<time itemprop=validThrough datetime='2024-12-31'>over</time>" : "",
					Entities.escape(this.postings.get(i).path("description").asString("")));
	}

	private String rdfa(int i) {
		return """
				<html><body vocab="https://schema.org/"><div typeof="JobPosting"><h1 property="title">%s</h1>
				<span property="identifier">J-%d</span>%s</div></body></html>""".formatted(Entities.escape(title(i)), i,
				isOver(i) ? "<meta property=validThrough content='2024-12-31'>" : "");
	}

	/** Whether robots.txt forbids a path. */
	static boolean isForbidden(String path) {
		return path.startsWith("/admin") || path.endsWith(".pdf");
	}

}
