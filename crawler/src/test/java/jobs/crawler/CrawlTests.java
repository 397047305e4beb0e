package jobs.crawler;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

import jobs.crawler.Site.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Crawls of a site on this machine, whose log is the judge.
 */
@Timeout(120)
class CrawlTests {

	private static final String JOB = "{\"@context\":\"https://schema.org\",\"@type\":\"JobPosting\",\"title\":\"%s\",\"identifier\":\"%s\"}";

	@TempDir
	private Path state;

	private Site site;

	private FakePair pair;

	@BeforeEach
	void start() throws IOException {
		this.site = new Site(3);
		this.pair = new FakePair();
	}

	@AfterEach
	void end() {
		this.site.close();
		this.pair.close();
	}

	@Test
	void bringsThePostingsOfASite() {
		this.site.page("/", Site.links("/list?page=1", "/about#team", "https://elsewhere.invalid/"))
			.page("/list?page=1", Site.links("/jobs/1", "/jobs/2", "/list?page=2"))
			.page("/list?page=2", Site.links("/jobs/2", "/jobs/3", "/"))
			.page("/about", "<p>No job</p>")
			.page("/jobs/1", job("Cook", "1"))
			.page("/jobs/2", job("Baker", "2"))
			.page("/jobs/3", job("Smith", "3"));

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents().keySet()).containsExactly("127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3");
		assertThat(this.pair.document("127.0.0.1:2").toString()).matches(
				"\\{\"postingId\":\"127.0.0.1:2\",\"sourceUrl\":\"%s\",\"crawledAt\":\"20[-0-9:.T]+Z\",\"@context\":\"https://schema.org\",\"@type\":\"JobPosting\",\"title\":\"Baker\",\"identifier\":\"2\"}"
					.formatted(this.site.url("/jobs/2")));
		assertThat(this.site.asked()).containsExactlyInAnyOrder("/robots.txt", "/", "/list?page=1", "/about", "/jobs/1",
				"/jobs/2", "/list?page=2", "/jobs/3");
		assertThat(this.site.log().getFirst().headers().get("User-Agent"))
			.isEqualTo("jobs-crawler/1.1 (+ann@example.org)");
	}

	@Test
	void asksForNothingThatRobotsTxtForbids() {
		this.site.put(this.site.url("/robots.txt"), Response.text("text/plain", """
				User-agent: *
				Disallow: /
				User-agent: jobs-crawler
				Disallow: /private
				Allow: /private/open
				"""))
			.page("/", Site.links("/private/1", "/private/open/1", "/jobs/1"))
			.page("/jobs/1", job("Cook", "1"))
			.page("/private/1", job("Spy", "2"))
			.page("/private/open/1", job("Baker", "3"));

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents().keySet()).containsExactly("127.0.0.1:1", "127.0.0.1:3");
		assertThat(this.site.asked()).containsExactlyInAnyOrder("/robots.txt", "/", "/private/open/1", "/jobs/1");
	}

	@ParameterizedTest
	@ValueSource(ints = { 429, 500, 503 })
	void asksForNothingWhereRobotsTxtCantBeRead(int status) {
		this.site.put(this.site.url("/robots.txt"), Response.of(status)).page("/", job("Cook", "1"));

		assertThat(crawl()).isEqualTo(1);

		assertThat(this.site.asked()).containsOnly("/robots.txt").hasSize(3);
	}

	@ParameterizedTest
	@ValueSource(ints = { 401, 403, 404, 410 })
	void asksForAllWhereThereIsNoRobotsTxt(int status) {
		this.site.put(this.site.url("/robots.txt"), Response.of(status)).page("/", job("Cook", "1"));

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(1);
	}

	@Test
	void followsRobotsTxtToAnotherHost() {
		this.site.put(this.site.url("/robots.txt"), Response.of(301, "Location", this.site.origin(2) + "/r"))
			.put(this.site.origin(2) + "/r", Response.of(302, "Location", "/rules"))
			.put(this.site.origin(2) + "/rules", Response.text("text/plain", "User-agent: *\nDisallow: /jobs"))
			.page("/", Site.links("/jobs/1"))
			.page("/jobs/1", job("Cook", "1"));

		assertThat(crawl()).isZero();

		assertThat(this.site.asked()).containsExactly("/robots.txt", "/r", "/rules", "/");
	}

	@Test
	void leavesPausesBetweenTwoRequestsOfAHost() {
		this.site.put(this.site.url("/robots.txt"), Response.text("text/plain", "User-agent: *\nCrawl-delay: 0.3"))
			.page("/", Site.links("/1", "/2", this.site.origin(2) + "/1"))
			.page("/1", job("Cook", "1"))
			.page("/2", job("Cook", "2"))
			.put(this.site.origin(2) + "/", Response.html(Site.links("/a", "/b")));

		assertThat(crawl("--pause", "100", this.site.origin(2))).isZero();

		assertThat(gaps(this.site.origin(1)).skip(1)).hasSize(2).allMatch((gap) -> gap >= 300);
		assertThat(gaps(this.site.origin(2))).hasSize(4).allMatch((gap) -> gap >= 100);
	}

	private Stream<Long> gaps(String origin) {
		List<Long> times = this.site.log()
			.stream()
			.filter((request) -> request.origin().equals(origin))
			.map(Site.Request::nanos)
			.toList();
		return IntStream.range(1, times.size()).mapToObj((i) -> (times.get(i) - times.get(i - 1)) / 1_000_000);
	}

	@Test
	void followsRedirects() {
		this.site.put(this.site.url("/"), Response.of(301, "Location", this.site.origin(2) + "/home"))
			.put(this.site.origin(2) + "/home", Response.html(Site.links("/a", "/loop", "/self", "/nowhere", "/far")))
			.put(this.site.origin(2) + "/a", Response.of(302, "Location", "b"))
			.put(this.site.origin(2) + "/b", Response.html(job("Cook", "1")))
			.put(this.site.origin(2) + "/loop", Response.of(307, "Location", "/pool"))
			.put(this.site.origin(2) + "/pool", Response.of(307, "Location", "/loop"))
			.put(this.site.origin(2) + "/self", Response.of(308, "Location", "/self"))
			.put(this.site.origin(2) + "/nowhere", Response.of(302, "Location", "mailto:x@example.org"))
			.put(this.site.origin(2) + "/far", Response.of(302, "Location", this.site.origin(3) + "/"));
		for (int i = 0; i < 8; i++) {
			this.site.put(this.site.origin(2) + "/chain" + i, Response.of(302, "Location", "/chain" + (i + 1)));
		}
		this.site.put(this.site.origin(2) + "/home",
				Response.html(Site.links("/a", "/loop", "/self", "/nowhere", "/far", "/chain0")));

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents().keySet()).containsExactly("127.0.0.2:1");
		assertThat(this.site.asked()).contains("/chain5").doesNotContain("/chain6");
		assertThat(this.site.log()).noneMatch((request) -> request.origin().equals(this.site.origin(3)));
	}

	@Test
	void deletesWhatIsGone() {
		for (int i = 1; i <= 5; i++) {
			this.site.page("/jobs/" + i, job("Cook", "" + i));
		}
		this.site.page("/", Site.links("/jobs/1", "/jobs/2", "/jobs/3", "/jobs/4", "/jobs/5"));
		assertThat(crawl()).isZero();
		assertThat(this.pair.documents()).hasSize(5);

		this.site.remove("/jobs/1");
		this.site.put(this.site.url("/jobs/2"), Response.of(410));
		this.site.page("/jobs/3", "<p>This job is taken</p>");
		this.site.page("/jobs/4", Site.posting(
				"{\"@type\":\"JobPosting\",\"title\":\"Cook\",\"identifier\":\"4\",\"validThrough\":\"2020-01-01\"}"));
		this.site.forget();
		assertThat(crawl()).isZero();

		assertThat(this.pair.documents().keySet()).containsExactly("127.0.0.1:5");
		// once more before it counts as gone
		assertThat(this.site.asked().stream().filter("/jobs/3"::equals)).hasSize(2);
	}

	@Test
	void keepsWhatAnotherPageShowsNow() {
		this.site.page("/", Site.links("/list?page=1", "/list?page=2"))
			.page("/list?page=1", "<html>" + job("Cook", "1") + job("Baker", "2"))
			.page("/list?page=2", job("Smith", "3"));
		assertThat(crawl()).isZero();

		this.site.page("/list?page=1", job("Baker", "2")).page("/list?page=2", job("Smith", "3") + job("Cook", "1"));
		assertThat(crawl()).isZero();

		assertThat(this.pair.documents().keySet()).containsExactly("127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3");
	}

	@Test
	void keepsWhatStandsOnAPageThatCantBeRead() {
		this.site.page("/", Site.links("/jobs/1", "/list"))
			.page("/jobs/1", job("Cook", "1"))
			.page("/list", job("Cook", "1") + job("Baker", "2"));
		assertThat(crawl()).isZero();

		this.site.remove("/jobs/1");
		this.site.put(this.site.url("/list"), Response.of(500));
		assertThat(crawl("--tries", "1")).isZero();

		assertThat(this.pair.documents()).hasSize(2);
	}

	@Test
	void keepsWhatAScriptHadThatCantBeReadNow() {
		this.site.page("/", job("Cook", "1"));
		assertThat(crawl()).isZero();

		this.site.page("/", Site.posting("{\"@type\":\"JobPosting\",\"title\":\"Cook\" \"identifier\""));
		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(1);
	}

	@Test
	void findsTheHostAgainThatARootHasMovedTo() {
		this.site.put(this.site.url("/"), Response.of(301, "Location", this.site.origin(2) + "/"))
			.put(this.site.url("/robots.txt"), Response.of(301, "Location", this.site.origin(2) + "/robots.txt"))
			.put(this.site.origin(2) + "/", Response.html(Site.links("/jobs/1", "/jobs/2")))
			.put(this.site.origin(2) + "/jobs/1", Response.html(job("Cook", "1")))
			.put(this.site.origin(2) + "/jobs/2", Response.html(job("Baker", "2")));
		assertThat(crawl()).isZero();
		assertThat(this.pair.documents()).hasSize(2);

		this.site.put(this.site.origin(2) + "/jobs/2", Response.html(job("Head baker", "2")));
		assertThat(crawl()).isZero();

		assertThat(this.pair.document("127.0.0.2:2").get("title").asString()).isEqualTo("Head baker");
		this.site.put(this.site.origin(2) + "/", Response.of(500));
		assertThat(crawl("--tries", "1")).isEqualTo(1);
		assertThat(this.pair.documents()).hasSize(2);
	}

	@Test
	void sendsWhatItHasOnlyPrintedBefore() {
		this.site.put(this.site.url("/"), Response.html(job("Cook", "1")).with("ETag", "\"a\""));
		assertThat(crawl("--print")).isZero();
		assertThat(this.pair.documents()).isEmpty();

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(1);
	}

	@Test
	void sendsAllToAnotherPair() throws IOException {
		this.site.put(this.site.url("/"), Response.html(job("Cook", "1")).with("ETag", "\"a\""));
		assertThat(crawl()).isZero();
		this.pair.close();
		this.pair = new FakePair();

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(1);
	}

	@Test
	void readsLongListsEachTime() {
		List<String> titles = new ArrayList<>(List.of("Cook"));
		this.site.answer((url) -> {
			String path = url.substring(this.site.origin(1).length());
			if (path.equals("/") || path.startsWith("/list?page=")) {
				int page = path.equals("/") ? 0 : Integer.parseInt(path.substring(11));
				return Response.html(Site.links("/about", "/jobs/" + page, "/taken/" + page,
						(page < 300) ? "/list?page=" + (page + 1) : "/"));
			}
			return path.startsWith("/jobs/") ? Response.html(job(titles.getFirst(), path.substring(6)))
					: path.equals("/robots.txt") ? null : Response.html("<p>taken</p>" + Site.links("/", "/about"));
		});
		assertThat(crawl("--max-depth", "1000")).isZero();
		assertThat(this.pair.documents()).hasSize(301);

		titles.set(0, "Baker");
		assertThat(crawl("--max-depth", "1000")).isZero();

		assertThat(this.pair.documents().values()).allMatch((one) -> one.get("title").asString().equals("Baker"));
	}

	@Test
	void goesOnPastStrangePages() {
		this.site.page("/", Site.links("/1", "/2", "/3", "/4"))
			.page("/1", Site.posting(
					"{\"@type\":\"JobPosting\",\"title\":\"A\",\"identifier\":1,\"validThrough\":\"+300000000-01-01\"}"))
			.page("/2", Site.posting("{\"@type\":\"JobPosting\",\"title\":\"\\ud83d\",\"identifier\":2}"))
			.page("/3", Site.posting("[".repeat(5000)) + "<div itemscope itemprop='a b'>".repeat(3000))
			.page("/4", job("D", "4"));

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(3);
	}

	@Test
	void keepsWhatCantBeReadForATime() {
		this.site.page("/", Site.links("/jobs/1", "/jobs/2"))
			.page("/jobs/1", job("Cook", "1"))
			.page("/jobs/2", job("Baker", "2"));
		assertThat(crawl()).isZero();

		this.site.put(this.site.url("/jobs/1"), Response.of(500)).put(this.site.url("/jobs/2"), Response.of(403));
		assertThat(crawl("--tries", "2")).isZero();

		assertThat(this.pair.documents()).hasSize(2);
	}

	@Test
	void asksWhetherAPageHasChanged() {
		this.site.page("/", Site.links("/jobs/1", "/jobs/2"))
			.put(this.site.url("/jobs/1"), Response.html(job("Cook", "1")).with("ETag", "\"a\""))
			.put(this.site.url("/jobs/2"), Response.html(job("Baker", "2")).with("ETag", "\"b\""));
		assertThat(crawl()).isZero();

		this.site.forget();
		this.site.put(this.site.url("/jobs/2"), Response.html(job("Bakers", "2")).with("ETag", "\"c\""));
		assertThat(crawl()).isZero();

		assertThat(this.site.log()
			.stream()
			.filter((request) -> request.path().startsWith("/jobs"))
			.map((request) -> request.headers().get("If-None-Match"))).containsExactly("\"a\"", "\"b\"");
		assertThat(this.pair.document("127.0.0.1:2").get("title").asString()).isEqualTo("Bakers");
		assertThat(this.pair.documents()).hasSize(2);
	}

	@Test
	void triesAgainLater() {
		List<String> answers = new ArrayList<>(List.of("503", "429", "522"));
		this.site.page("/", Site.links("/jobs/1")).page("/jobs/1", job("Cook", "1"));
		Site.Handler pages = (url) -> Response.html(url.endsWith("/") ? Site.links("/jobs/1") : job("Cook", "1"));
		this.site.answer((url) -> url.endsWith("/robots.txt") ? null : (url.endsWith("/jobs/1") && !answers.isEmpty())
				? Response.of(Integer.parseInt(answers.removeFirst()), "Retry-After", "1") : pages.answer(url));

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(1);
		assertThat(gaps(this.site.origin(1)).skip(2)).hasSize(3).allMatch((gap) -> gap >= 1000);
	}

	@Test
	void endsInTraps() {
		this.site.answer((url) -> {
			String path = URI.create(url).getPath();
			if (path.equals("/robots.txt")) {
				return null;
			}
			if (path.startsWith("/calendar")) {
				int day = Integer.parseInt(path.substring(10));
				return Response.html(Site.links("/calendar/" + (day + 1), "/calendar/" + (day * 2 + 7)));
			}
			if (path.startsWith("/a/")) {
				return Response.html(Site.links("x/", "x/?sort=" + path.length()));
			}
			return Response
				.html(path.equals("/jobs/1") ? job("Cook", "1") : Site.links("/calendar/0", "/a/", "/jobs/1"));
		});

		assertThat(crawl("--max-depth", "9000")).isZero();

		assertThat(this.pair.documents()).hasSize(1);
		assertThat(this.site.asked().stream().filter((path) -> path.startsWith("/calendar"))).hasSizeLessThan(450);
		assertThat(this.site.asked().stream().filter((path) -> path.startsWith("/a/"))).hasSizeLessThan(20);
	}

	@Test
	void staysWithinItsBounds() {
		this.site.answer((url) -> {
			if (url.endsWith("/robots.txt")) {
				return null;
			}
			int number = url.endsWith("/") ? 0 : Integer.parseInt(url.substring(url.lastIndexOf('/') + 1));
			return Response.html(job("Cook", "" + number) + Site.links("/" + (number + 1)));
		});

		assertThat(crawl("--max-depth", "3")).isZero();
		assertThat(this.pair.documents()).hasSize(4);

		assertThat(crawl("--max-pages", "6", "--fresh")).isZero();
		assertThat(this.pair.documents()).hasSize(6);
	}

	@Test
	void heedsPatterns() {
		this.site.page("/", Site.links("/en/1", "/de/1", "/en/old/1"))
			.page("/en/1", job("Cook", "1"))
			.page("/de/1", job("Koch", "2"))
			.page("/en/old/1", job("Cook", "3"));

		assertThat(crawl("--include", "/en/", "--exclude", "/old/")).isZero();

		assertThat(this.site.asked()).containsExactly("/robots.txt", "/", "/en/1");
	}

	@Test
	void readsSitemaps() throws IOException {
		String now = "2020-01-02T03:04:05Z";
		this.site.put(this.site.url("/robots.txt"), Response.text("text/plain", "Sitemap: /index.xml"))
			.put(this.site.url("/index.xml"), Response.text("application/xml",
					"<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><sitemap><loc>%s</loc></sitemap></sitemapindex>"
						.formatted(this.site.url("/jobs.xml.gz"))))
			.put(this.site.url("/jobs.xml.gz"), new Response(200, Map.of("Content-Type", "application/x-gzip"), gzip(
					"<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>%s</loc><lastmod>%s</lastmod></url><url><loc>%s</loc></url></urlset>"
						.formatted(this.site.url("/jobs/1"), now, this.site.url("/jobs/2")))))
			.page("/", "<p>no links</p>")
			.page("/jobs/1", job("Cook", "1"))
			.page("/jobs/2", job("Baker", "2"));
		assertThat(crawl()).isZero();
		assertThat(this.pair.documents()).hasSize(2);

		this.site.forget();
		assertThat(crawl()).isZero();

		assertThat(this.site.asked()).contains("/jobs/2").doesNotContain("/jobs/1");
		assertThat(this.pair.documents()).hasSize(2);
	}

	/** A page that is kept without a look is as old as the last look. */
	@Test
	void readsWhatHasChangedSinceTheLastLook() {
		this.site
			.put(this.site.url("/robots.txt"),
					Response.text("text/plain", "Sitemap: " + this.site.url("/sitemap.xml") + "\n"))
			.page("/", "<p>No job</p>")
			.page("/jobs/1", job("Cook", "1"));
		lists("/jobs/1", Instant.parse("2020-01-02T03:04:05Z"));
		assertThat(crawl()).isZero();
		Instant between = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		await().until(() -> Instant.now().toEpochMilli() > between.toEpochMilli());
		this.site.forget();
		assertThat(crawl()).isZero();
		assertThat(this.site.asked()).doesNotContain("/jobs/1");

		this.site.page("/jobs/1", job("Baker", "1"));
		lists("/jobs/1", between);
		assertThat(crawl()).isZero();

		assertThat(this.pair.document("127.0.0.1:1").get("title").asString()).isEqualTo("Baker");
	}

	private void lists(String path, Instant modified) {
		this.site.put(this.site.url("/sitemap.xml"), Response.text("application/xml", """
				<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
				<url><loc>%s</loc><lastmod>%s</lastmod></url></urlset>""".formatted(this.site.url(path), modified)));
	}

	@Test
	void asksNobodyOfAPrivateNetwork() {
		this.site.page("/", job("Cook", "1"));

		assertThat(run(List.of(this.site.url("/"), "--contact", "ann@example.org", "--to", this.pair.url(), "--state",
				this.state.toString(), "--pause", "0")))
			.isEqualTo(1);

		assertThat(this.site.log()).isEmpty();
	}

	@Test
	void refusesPagesThatAreTooLargeOrTooSlow() {
		byte[] bomb = gzip("x".repeat(3_000_000));
		this.site.page("/", Site.links("/large", "/bomb", "/slow", "/text", "/jobs/1"))
			.page("/large", "x".repeat(2_000_000))
			.put(this.site.url("/bomb"),
					new Response(200, Map.of("Content-Type", "text/html", "Content-Encoding", "gzip"), bomb))
			.put(this.site.url("/text"), Response.text("text/plain", job("Cook", "9")))
			.page("/jobs/1", job("Cook", "1"));
		Site.Handler pages = this.site.handler();
		CountDownLatch end = new CountDownLatch(1);
		this.site.answer((url) -> {
			if (url.endsWith("/slow")) {
				wait(end);
			}
			return pages.answer(url);
		});

		JsonNode summary = summary("--max-bytes", "1000000", "--max-seconds", "1", "--tries", "1");

		end.countDown();
		assertThat(this.pair.documents()).hasSize(1);
		assertThat(summary.get("pages").get("more than 1,000,000 bytes").asInt()).isEqualTo(2);
		assertThat(summary.get("pages").get("no answer in time").asInt()).isEqualTo(1);
	}

	private static void wait(CountDownLatch end) {
		try {
			end.await(30, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void waitsForAPairThatIsAway() {
		this.site.page("/", job("Cook", "1"));
		this.pair.refusals.set(2);

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(1);
	}

	@Test
	void keepsWhatAPairThatStaysAwayHasNot() {
		this.site.page("/", Site.links("/jobs/1")).page("/jobs/1", job("Cook", "1"));
		this.pair.refusals.set(1000);

		assertThat(crawl("--patience", "1")).isEqualTo(1);

		this.pair.refusals.set(0);
		assertThat(crawl()).isZero();
		assertThat(this.pair.documents()).hasSize(1);
	}

	@Test
	void countsWhatThePairRefuses() {
		this.site.page("/", job("Cook", "1") + job("Spy", "2"));
		this.pair.refused = "Spy";

		JsonNode summary = summary();

		assertThat(this.pair.documents().keySet()).containsExactly("127.0.0.1:1");
		assertThat(summary.get("counts").get("refused: The posting breaks the rules: /title is none").asInt())
			.isEqualTo(1);
	}

	/** The pair keeps the version before. */
	@Test
	void deletesWhatThePairRefusedLately() {
		this.site.page("/", Site.links("/jobs/1")).page("/jobs/1", job("Cook", "1"));
		assertThat(crawl()).isZero();
		this.site.page("/jobs/1", job("Spy", "1"));
		this.pair.refused = "Spy";
		assertThat(crawl()).isZero();
		assertThat(this.pair.documents()).hasSize(1);

		this.site.remove("/jobs/1");
		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).isEmpty();
	}

	@Test
	void deletesWhatThePairHasWithoutTellingSo() {
		this.site.page("/", Site.links("/jobs/1")).page("/jobs/1", job("Cook", "1"));
		this.pair.lostAnswers.set(1000);
		assertThat(crawl("--patience", "0")).isEqualTo(1);
		assertThat(this.pair.documents()).hasSize(1);

		this.pair.lostAnswers.set(0);
		this.site.remove("/jobs/1");
		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).isEmpty();
	}

	@Test
	void keepsWhatOneOfSeveralScriptsHad() {
		this.site.page("/", "<html>" + job("Cook", "1") + job("Baker", "2"));
		assertThat(crawl()).isZero();

		this.site.page("/", "<html>" + job("Cooks", "1") + Site.posting("{\"@type\":\"JobPosting\" \"title\""));
		assertThat(crawl()).isZero();
		assertThat(this.pair.document("127.0.0.1:1").get("title").asString()).isEqualTo("Cooks");
		assertThat(this.pair.documents()).hasSize(2);

		this.site.page("/", "<html>" + job("Cooks", "1"));
		assertThat(crawl()).isZero();
		assertThat(this.pair.documents()).hasSize(1);
	}

	@Test
	void keepsWhatHasMovedToAPageThatCantBeRead() {
		this.site.page("/", Site.links("/jobs/1")).page("/jobs/1", job("Cook", "1"));
		assertThat(crawl()).isZero();

		this.site.put(this.site.url("/jobs/1"), Response.of(301, "Location", "/careers/1"))
			.put(this.site.url("/careers/1"), Response.of(503));
		assertThat(crawl("--tries", "1")).isZero();
		assertThat(crawl("--tries", "1")).isZero();
		assertThat(this.pair.documents()).hasSize(1);

		this.site.remove("/careers/1");
		assertThat(crawl("--tries", "1")).isZero();
		assertThat(this.pair.documents()).isEmpty();
	}

	@Test
	void findsWhatWasGoneForATimeBehindAListThatHasNotChanged() {
		this.site.put(this.site.url("/"), Response.html(Site.links("/jobs/1")).with("ETag", "\"list\""))
			.page("/jobs/1", job("Cook", "1"));
		assertThat(crawl()).isZero();
		this.site.remove("/jobs/1");
		assertThat(crawl()).isZero();
		assertThat(this.pair.documents()).isEmpty();

		this.site.page("/jobs/1", job("Cook", "1"));
		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(1);
	}

	/** The list was found before the page was gone, and it is asked for no more. */
	@Test
	void findsWhatWasGoneBehindAListThatCouldNotBeRead() {
		this.site.put(this.site.url("/"), Response.html(Site.links("/list")).with("ETag", "\"root\""))
			.put(this.site.url("/list"),
					Response.html("<html>" + job("Smith", "2") + Site.links("/jobs/1")).with("ETag", "\"list\""))
			.page("/jobs/1", job("Cook", "1"));
		assertThat(crawl()).isZero();
		this.site.remove("/jobs/1");
		assertThat(crawl()).isZero();
		assertThat(this.pair.documents()).hasSize(1);

		Site.Handler pages = this.site.handler();
		this.site.answer((url) -> url.endsWith("/list") ? Response.of(503) : pages.answer(url));
		assertThat(crawl("--tries", "1")).isZero();
		this.site.answer(pages);
		this.site.page("/jobs/1", job("Cook", "1"));
		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(2);
	}

	@Test
	void forgetsPagesThatStayGone() {
		this.site.page("/", Site.links("/jobs/1")).page("/jobs/1", job("Cook", "1"));
		assertThat(crawl()).isZero();
		this.site.page("/", Site.links());
		this.site.remove("/jobs/1");
		for (int i = 0; i < 3; i++) {
			assertThat(crawl()).isZero();
		}
		this.site.forget();

		assertThat(crawl()).isZero();

		assertThat(this.site.asked()).containsExactly("/robots.txt", "/");
	}

	@Test
	void deletesWhatVanishesBetweenTwoLooks() {
		this.site.page("/", Site.links("/list", "/jobs/9"))
			.page("/list", "<html>" + job("Cook", "1") + job("Baker", "2"))
			.page("/jobs/9", job("Smith", "9"));
		assertThat(crawl()).isZero();
		List<String> lists = new ArrayList<>(List.of(job("Cook", "1"), "<p>none</p>"));
		Site.Handler pages = this.site.handler();
		this.site.answer((url) -> (url.endsWith("/list") && lists.size() > 1) ? Response.html(lists.removeFirst())
				: url.endsWith("/list") ? Response.html(lists.getFirst()) : pages.answer(url));

		assertThat(crawl()).isZero();
		assertThat(crawl()).isZero();

		assertThat(this.pair.documents().keySet()).containsExactly("127.0.0.1:9");
	}

	@Test
	void deletesWhatIsGoneAtTheSecondLook() {
		this.site.page("/", Site.links("/list")).page("/list", "<html>" + job("Cook", "1") + job("Baker", "2"));
		assertThat(crawl()).isZero();
		List<Response> lists = new ArrayList<>(List.of(Response.html(job("Cook", "1"))));
		Site.Handler pages = this.site.handler();
		this.site.answer((url) -> !url.endsWith("/list") ? pages.answer(url)
				: lists.isEmpty() ? Response.of(410) : lists.removeFirst());

		assertThat(crawl()).isZero();
		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).isEmpty();
	}

	@Test
	void deletesWhatHasMovedInTwoSteps() {
		this.site.page("/", Site.links("/jobs/1")).page("/jobs/1", job("Cook", "1")).page("/careers/", "<p>all</p>");
		assertThat(crawl()).isZero();
		this.site.put(this.site.url("/jobs/1"), Response.of(301, "Location", "/careers"))
			.put(this.site.url("/careers"), Response.of(301, "Location", "/careers/"));

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).isEmpty();
	}

	/** What the pair has is of a page that is gone. */
	@Test
	void sendsWhatAnotherPageHasWhereTheOwnerIsGone() {
		String other = removeTheOwnerOfOne();

		assertThat(crawl()).isZero();
		assertThat(crawl()).isZero();

		assertThat(this.pair.document("127.0.0.1:1").get("title").asString()).isEqualTo(other);
	}

	/**
	 * What was noted before the pair had it would stay as the page had it that is gone.
	 */
	@Test
	void sendsWhatAnotherPageHasAlsoWhereThePairWasAway() {
		String other = removeTheOwnerOfOne();
		assertThat(crawl()).isZero();

		this.pair.refusals.set(1000);
		assertThat(crawl("--patience", "0")).isEqualTo(1);
		this.pair.refusals.set(0);
		assertThat(crawl()).isZero();

		assertThat(this.pair.document("127.0.0.1:1").get("title").asString()).isEqualTo(other);
	}

	/** Has two pages show a posting, and returns the title of that which stays. */
	private String removeTheOwnerOfOne() {
		this.site.page("/", Site.links("/de/1", "/en/1"))
			.put(this.site.url("/en/1"), Response.html(job("Cook", "1")).with("ETag", "\"en\""))
			.put(this.site.url("/de/1"), Response.html(job("Koch", "1")).with("ETag", "\"de\""));
		assertThat(crawl()).isZero();
		boolean isGerman = this.pair.document("127.0.0.1:1").get("title").asString().equals("Koch");
		this.site.remove(isGerman ? "/de/1" : "/en/1");
		return isGerman ? "Cook" : "Koch";
	}

	@Test
	void sendsAgainWhatWasRefusedWhateverTheSitemapSays() {
		this.site.put(this.site.url("/robots.txt"), Response.text("text/plain", "Sitemap: /sitemap.xml"))
			.page("/", "<p>none</p>")
			.page("/jobs/1", job("Spy", "1"));
		lists("/jobs/1", Instant.parse("2020-01-02T03:04:05Z"));
		this.pair.refused = "Spy";
		assertThat(crawl()).isZero();
		assertThat(this.pair.documents()).isEmpty();

		this.pair.refused = "none";
		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(1);
	}

	@Test
	void readsASitemapThatSaysItIsAPage() {
		this.site.put(this.site.url("/robots.txt"), Response.text("text/plain", "Sitemap: /map"))
			.put(this.site.url("/map"), Response.html(
					"<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>%s</loc></url></urlset>"
						.formatted(this.site.url("/jobs/1"))))
			.page("/", "<p>none</p>")
			.page("/jobs/1", job("Cook", "1"));

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(1);
	}

	@Test
	void readsACompressedSitemapThatSaysItIsAPage() {
		this.site.put(this.site.url("/robots.txt"), Response.text("text/plain", "Sitemap: /map.xml.gz"))
			.put(this.site.url("/map.xml.gz"), new Response(200, Map.of("Content-Type", "text/html"), gzip(
					"<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>%s</loc></url></urlset>"
						.formatted(this.site.url("/jobs/1")))))
			.page("/", "<p>none</p>")
			.page("/jobs/1", job("Cook", "1"));

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(1);
	}

	/** The pair keeps the version before, which another page had. */
	@Test
	void keepsWhatAnotherPageShowsAlsoWhereItIsRefused() {
		this.site.page("/", Site.links("/jobs/1", "/careers/1")).page("/jobs/1", job("Cook", "1"));
		assertThat(crawl()).isZero();
		this.site.remove("/jobs/1");
		this.site.page("/careers/1", job("Spy", "1"));
		this.pair.refused = "Spy";

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(1);
	}

	@Test
	void readsBothRootsOfWhichOneMovesToTheOther() {
		this.site.put(this.site.url("/"), Response.of(301, "Location", this.site.origin(2) + "/"))
			.put(this.site.origin(2) + "/", Response.html(job("Cook", "1")));

		assertThat(crawl(this.site.origin(2) + "/")).isZero();
		assertThat(crawl(this.site.origin(2) + "/")).isZero();
	}

	@Test
	void readsAPageOnceForAPostingThatIsOver() {
		String job = "{\"@type\":\"JobPosting\",\"title\":\"Cook\",\"identifier\":\"1\",\"validThrough\":\"%s\"}";
		this.site.page("/", Site.links("/jobs/1"))
			.page("/jobs/1", Site.posting(job.formatted(Instant.now().plus(1, ChronoUnit.DAYS))));
		assertThat(crawl()).isZero();
		assertThat(this.pair.documents()).hasSize(1);
		this.site.page("/jobs/1", Site.posting(job.formatted("2020-01-01")));
		this.site.forget();

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).isEmpty();
		assertThat(this.site.asked()).containsOnlyOnce("/jobs/1");
	}

	@Test
	void deletesWhereAnotherScriptCanNeverBeRead() {
		String broken = Site.posting("{\"@type\":\"Organization\" \"name\"");
		this.site.page("/", Site.links("/jobs/1")).page("/jobs/1", "<html>" + broken + job("Cook", "1"));
		assertThat(crawl()).isZero();
		this.site.page("/jobs/1", "<html>" + broken);

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).isEmpty();
	}

	@Test
	void leavesTheHostToWhichARootHasMovedForATime() {
		this.site.put(this.site.origin(2) + "/", Response.html(job("Spy", "2")));
		this.site.put(this.site.url("/"), Response.of(302, "Location", this.site.origin(2) + "/"));
		assertThat(crawl()).isZero();
		this.site.page("/", job("Cook", "1"));
		assertThat(crawl()).isZero();
		this.site.forget();

		assertThat(crawl()).isZero();

		assertThat(this.site.log()).allMatch((request) -> request.origin().equals(this.site.origin(1)));
	}

	@Test
	void readsAPageThatIsCalledASitemap() {
		this.site.put(this.site.url("/robots.txt"), Response.text("text/plain", "Sitemap: /overview"))
			.page("/", "<p>no links</p>")
			.page("/overview", Site.links("/jobs/1"))
			.page("/jobs/1", job("Cook", "1"));

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(1);
	}

	@Test
	void readsNoSitemapsAnyMoreWhereItShallNot() {
		this.site.put(this.site.url("/robots.txt"), Response.text("text/plain", "Sitemap: /map.xml"))
			.put(this.site.url("/map.xml"),
					Response.text("application/xml",
							"<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"></urlset>"))
			.page("/", job("Cook", "1"));
		assertThat(crawl()).isZero();
		this.site.forget();

		assertThat(crawl("--no-sitemaps")).isZero();

		assertThat(this.site.asked()).doesNotContain("/map.xml");
	}

	@Test
	void boundsThePostingsOfAPage() {
		this.site.page("/", Site
			.posting(IntStream.range(0, 5010).mapToObj((i) -> JOB.formatted("Cook", "" + i)).toList().toString()));

		JsonNode summary = summary();

		assertThat(this.pair.documents()).hasSize(5000);
		assertThat(summary.get("counts").get("postings beyond the bound of a page").asInt()).isEqualTo(10);
	}

	@Test
	void namesPagesThatSomebodyMayWantToLookAt() {
		this.site.page("/", "<html>" + Site.posting("{\"a\"") + Site.links("/file"))
			.put(this.site.url("/file"), Response.text("application/pdf", "x"));

		JsonNode examples = summary().get("examples");

		assertThat(examples.get("no HTML").toString()).isEqualTo("[\"%s\"]".formatted(this.site.url("/file")));
		assertThat(examples.get("scripts that can't be read").toString()).contains(this.site.url("/"));
	}

	/** A key without the right to delete would end all crawls, too. */
	@Test
	void crawlsAgainWhereDeletionsWereRefused() {
		this.site.page("/", Site.links("/jobs/1", "/jobs/2"))
			.page("/jobs/1", job("Cook", "1"))
			.page("/jobs/2", job("Baker", "2"));
		assertThat(crawl()).isZero();
		this.site.remove("/jobs/1");
		this.pair.refusesDeletions = true;
		assertThat(crawl()).isEqualTo(1);

		this.site.page("/jobs/2", job("Bakers", "2"));
		assertThat(crawl()).isEqualTo(1);
		assertThat(this.pair.document("127.0.0.1:2").get("title").asString()).isEqualTo("Bakers");

		this.pair.refusesDeletions = false;
		assertThat(crawl()).isZero();
		assertThat(this.pair.documents()).hasSize(1);
	}

	@Test
	void mayRunTwiceAtTheSameTime() {
		int jobs = 60;
		this.site.page("/", Site.links(IntStream.range(0, jobs).mapToObj((i) -> "/jobs/" + i).toArray(String[]::new)));
		for (int i = 0; i < jobs; i++) {
			this.site.page("/jobs/" + i, job("Cook " + i, "" + i));
		}

		CompletableFuture<Integer> other = CompletableFuture
			.supplyAsync(() -> crawl("--state", this.state.resolve("other").toString()), Thread::startVirtualThread);
		assertThat(crawl()).isZero();
		assertThat(other.join()).isZero();

		assertThat(this.pair.documents()).hasSize(jobs);
		assertThat(this.pair.conflicts()).isEmpty();
	}

	@Test
	void goesOnWithWhatWasInterrupted() {
		int jobs = 40;
		this.site.page("/", Site.links(IntStream.range(0, jobs).mapToObj((i) -> "/jobs/" + i).toArray(String[]::new)));
		for (int i = 0; i < jobs; i++) {
			this.site.page("/jobs/" + i, job("Cook " + i, "" + i));
		}
		this.pair.refusals.set(1000);
		assertThat(crawl("--patience", "0")).isEqualTo(1);
		this.pair.refusals.set(0);
		this.site.forget();

		assertThat(crawl()).isZero();

		assertThat(this.pair.documents()).hasSize(jobs);
		assertThat(this.site.asked()).doesNotContain("/");
	}

	@ParameterizedTest
	@ValueSource(strings = { "--contact nobody", "--agent a/b", "--workers 0", "--pause -1", "--include [", "--to x",
			"--nope", "ftp://example.org/" })
	void refusesWrongOptions(String wrong) {
		List<String> arguments = new ArrayList<>(List.of(this.site.url("/"), "--state", this.state.toString()));
		if (!wrong.startsWith("--contact")) {
			arguments.addAll(List.of("--contact", "ann@example.org"));
		}
		arguments.addAll(Arrays.asList(wrong.split(" ")));

		assertThat(run(arguments)).isEqualTo(2);
	}

	@Test
	void refusesAStateThatIsInUse() {
		this.site.page("/", job("Cook", "1"));
		this.pair.refusals.set(1000);
		CompletableFuture<Integer> first = CompletableFuture.supplyAsync(this::crawl, Thread::startVirtualThread);
		await().atMost(Duration.ofSeconds(60)).until(() -> this.pair.requests.get() > 0);

		assertThat(crawl()).isEqualTo(1);

		this.pair.refusals.set(0);
		assertThat(first.join()).isZero();
	}

	private int crawl(String... options) {
		List<String> arguments = new ArrayList<>(
				List.of(this.site.url("/"), "--contact", "ann@example.org", "--allow-private"));
		List<String> given = Arrays.asList(options);
		if (!given.contains("--pause")) {
			arguments.addAll(List.of("--pause", "0"));
		}
		if (!given.contains("--state")) {
			arguments.addAll(List.of("--state", this.state.toString()));
		}
		arguments.addAll(List.of("--to", this.pair.url()));
		arguments.addAll(given);
		return run(arguments);
	}

	/** Crawls, and returns what the crawler tells of it. */
	private JsonNode summary(String... options) {
		PrintStream out = System.out;
		ByteArrayOutputStream told = new ByteArrayOutputStream();
		System.setOut(new PrintStream(told, true, StandardCharsets.UTF_8));
		try {
			assertThat(crawl(Stream.concat(Stream.of(options), Stream.of("--json")).toArray(String[]::new))).isZero();
		}
		finally {
			System.setOut(out);
		}
		return JsonMapper.shared().readTree(told.toString(StandardCharsets.UTF_8));
	}

	private static int run(List<String> arguments) {
		return Crawler.command().execute(arguments.toArray(String[]::new));
	}

	private static String job(String title, String identifier) {
		return Site.posting(JOB.formatted(title, identifier));
	}

	private static byte[] gzip(String text) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
			out.write(text.getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return bytes.toByteArray();
	}

}
