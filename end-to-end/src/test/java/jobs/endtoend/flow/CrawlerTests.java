package jobs.endtoend.flow;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import jobs.endtoend.pair.Pair;
import org.awaitility.Awaitility;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A careers page, the crawler as shipped, and the pair with the example's file of
 * resources.
 */
@Timeout(180)
class CrawlerTests {

	@TempDir
	private Path folder;

	private final Map<String, String> pages = new ConcurrentHashMap<>();

	private HttpServer site;

	private Pair pair;

	@BeforeEach
	void start() throws IOException {
		this.site = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.site.createContext("/", this::serve);
		this.site.start();
		Path example = Path.of("../examples/postings");
		Files.copy(example.resolve("posting.schema.json"), this.folder.resolve("posting.schema.json"));
		Path file = Files.writeString(this.folder.resolve("resources.yaml"),
				Files.readString(example.resolve("resources.yaml")).replace("  postings:", "  jobs:"));
		this.pair = new Pair(Map.of("JOBS_RESOURCES", "file:" + file)).start();
	}

	@AfterEach
	void stop() {
		this.pair.close();
		this.site.stop(0);
	}

	@Test
	void bringsPostingsAndTheirChangesAndDeletesWhatIsGone() throws Exception {
		this.pages.put("/", "<a href='/jobs/1'>1</a> <a href='/jobs/2'>2</a> <a href='/jobs/3'>3</a>");
		this.pages.put("/jobs/1", posting("1", "Baker"));
		this.pages.put("/jobs/2", posting("2", "Cook"));
		this.pages.put("/jobs/3", posting("3", "Smith"));
		crawl();
		awaitTitles("Baker", "Cook", "Smith");

		this.pages.put("/jobs/1", posting("1", "Master baker"));
		this.pages.remove("/jobs/2");
		crawl();

		awaitTitles("Master baker", "Smith");
		BsonDocument mark = this.pair.documents().find(new BsonDocument("_id", id("2"))).first();
		assertThat(mark).isNotNull();
		assertThat(mark.keySet()).containsExactly("_id", "_meta");
		assertThat(this.pair.deadLetters()).isEmpty();
	}

	private void crawl() throws IOException, InterruptedException {
		Process crawl = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1",
				"-jar", "../crawler/target/crawler.jar",
				"http://127.0.0.1:%d/".formatted(this.site.getAddress().getPort()), "--contact", "ann@example.org",
				"--allow-private", "--pause", "0", "--state", this.folder.resolve("crawl").toString(), "--to",
				"http://127.0.0.1:%d/jobs".formatted(this.pair.port))
			.inheritIO()
			.start();
		try {
			assertThat(crawl.waitFor(60, TimeUnit.SECONDS)).isTrue();
			assertThat(crawl.exitValue()).isZero();
		}
		finally {
			crawl.destroyForcibly();
		}
	}

	private void awaitTitles(String... titles) {
		Awaitility.await()
			.atMost(30, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(titles()).containsExactly(titles));
	}

	private List<String> titles() {
		return this.pair.documents()
			.find(new BsonDocument("title", new BsonDocument("$exists", BsonBoolean.TRUE)))
			.map((document) -> document.getString("title").getValue())
			.into(new ArrayList<>())
			.stream()
			.sorted()
			.toList();
	}

	private static BsonString id(String identifier) {
		return new BsonString("127.0.0.1:" + identifier);
	}

	private static String posting(String identifier, String title) {
		return """
				<script type="application/ld+json">{"@context":"https://schema.org","@type":"JobPosting",
				"title":"%s","identifier":"%s","hiringOrganization":{"@type":"Organization","name":"Acme"}}</script>"""
			.formatted(title, identifier);
	}

	private void serve(HttpExchange exchange) throws IOException {
		String page = this.pages.get(URI.create(exchange.getRequestURI().toString()).getPath());
		byte[] body = (page != null) ? page.getBytes(StandardCharsets.UTF_8) : new byte[0];
		exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
		exchange.sendResponseHeaders((page != null) ? 200 : 404, (page != null) ? body.length : -1);
		try (exchange) {
			exchange.getResponseBody().write(body);
		}
	}

}
