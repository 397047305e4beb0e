package jobs.crawler.page;

import java.net.http.HttpHeaders;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import jobs.crawler.fetch.Answer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PageReaderTests {

	private static final String URL = "https://careers.example.org/jobs/7";

	private static final String JOB = "{\"@context\":\"https://schema.org\",\"@type\":\"JobPosting\",\"title\":\"Cook\",\"identifier\":\"7\"}";

	private final PageReader reader = new PageReader("jobs-crawler", true);

	@ParameterizedTest
	@ValueSource(strings = { JOB, "[" + JOB + "]", "[[],[" + JOB + "]]",
			"{\"@context\":\"http://schema.org/\",\"@graph\":[{\"@type\":\"Thing\"},{\"@type\":\"JobPosting\",\"title\":\"Cook\",\"identifier\":\"7\"}]}",
			"{\"@context\":\"https://schema.org\",\"@type\":\"ItemList\",\"itemListElement\":[{\"@type\":\"ListItem\",\"item\":{\"@type\":\"JobPosting\",\"title\":\"Cook\",\"identifier\":\"7\"}}]}",
			"{\"@context\":\"http://www.schema.org\",\"@type\":[\"Thing\",\"JobPosting\"],\"title\":\"Cook\",\"identifier\":7}",
			"{\"@context\":{\"@vocab\":\"https://schema.org/\"},\"@type\":\"JobPosting\",\"title\":\"Cook\",\"identifier\":7}",
			"{\"@context\":[\"https://schema.org\",{\"@language\":\"en\"}],\"@type\":\"JobPosting\",\"title\":\"Cook\",\"identifier\":[7]}",
			"{\"@context\":{\"schema\":\"https://schema.org/\"},\"@type\":\"schema:JobPosting\",\"title\":\"Cook\",\"identifier\":7}",
			"{\"@type\":\"https://schema.org/JobPosting\",\"title\":\"Cook\",\"identifier\":{\"@type\":\"PropertyValue\",\"name\":\"Acme\",\"value\":\"7\"}}",
			"{\"@type\":\"JobPosting\",\"title\":{\"@value\":\"Cook\"},\"identifier\":{\"value\":7}}" })
	void findsAPostingWhereverItStands(String json) {
		ReadPage page = read("<script type='application/ld+json'>%s</script>".formatted(json));

		assertThat(page.postings()).extracting(Posting::id).containsExactly("careers.example.org:7");
		assertThat(page.repairs()).isEmpty();
	}

	@Test
	void givesNoPageTheIdOfAnotherHost() {
		ReadPage page = read(
				script("{\"@type\":\"JobPosting\",\"title\":\"Cook\",\"url\":\"https://other.example/jobs/1\"}"));

		assertThat(page.postings()).extracting(Posting::id)
			.containsExactly("careers.example.org:https://other.example/jobs/1");
	}

	/** Each reference would hold the text once more. */
	@Test
	void boundsWhatReferencesMultiply() {
		ReadPage page = read("<div itemscope itemtype='https://schema.org/JobPosting' itemref='" + "a ".repeat(20_000)
				+ "'><p itemprop='title'>Cook</p></div><p id='a' itemprop='description'>" + "x".repeat(500_000)
				+ "</p>");

		assertThat(page.postings()).singleElement()
			.satisfies((posting) -> assertThat(posting.content().toString()).hasSizeLessThan(6_000_000));
	}

	/** One look for each reference would take minutes. */
	@Test
	@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void findsReferencesWithoutALookThroughThePageForEach() {
		String missing = IntStream.range(0, 50).mapToObj((i) -> "no" + i).collect(Collectors.joining(" "));

		ReadPage page = read(
				("<p itemscope itemtype='https://schema.org/JobPosting' itemref='" + missing + "'>").repeat(25_000)
						+ "<p itemscope itemtype='https://schema.org/JobPosting' itemref='t'>"
						+ "<b id='t' itemprop='title'>Cook</b><b id='t' itemprop='title'>Waiter</b>");

		assertThat(page.postings()).singleElement()
			.satisfies((posting) -> assertThat(posting.content().toString()).contains("Cook"));
	}

	@Test
	void tellsPostingsApartByTheirAddressesAlone() {
		ReadPage page = read(new PageReader("jobs-crawler", false), answer(
				"<script type='application/ld+json'>%s</script>".formatted(JOB), "text/html; charset=utf-8", Map.of()));

		assertThat(page.postings()).extracting(Posting::id).containsExactly(URL);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Application/LD+JSON", "application/ld+json; charset=utf-8", " application/ld+json " })
	void readsAllScripts(String type) {
		ReadPage page = read("""
				<script type="application/ld+json">{"@type":"Organization"}</script>
				<body><script type="%s">%s</script><script>var x = 1;</script>
				<script type="application/ld+json">  </script>
				""".formatted(type, JOB));

		assertThat(page.postings()).hasSize(1);
		assertThat(page.broken()).isZero();
	}

	@ParameterizedTest
	@MethodSource
	void repairsAsFarAsItMustBe(String script, String repair) {
		ReadPage page = read(script(script));

		assertThat(page.postings()).extracting(Posting::id).containsExactly("careers.example.org:7");
		assertThat(page.repairs()).containsExactly(repair);
	}

	static Stream<Arguments> repairsAsFarAsItMustBe() {
		String open = JOB.substring(0, JOB.length() - 1);
		return Stream.of(Arguments.of("<!-- " + JOB + " -->", "comment_marks"),
				Arguments.of("<!-- a note -->\n" + JOB, "comment_marks"),
				Arguments.of("// <![CDATA[\n" + JOB + "\n// ]]>", "cdata"),
				Arguments.of("/*<![CDATA[*/" + JOB + "/*]]>*/", "cdata"),
				Arguments.of("<![CDATA[" + JOB + "]]>", "cdata"), Arguments.of(JOB + ";\n", "semicolon"),
				Arguments.of(open + ",}", "trailing_comma"), Arguments.of("[" + JOB + ",]", "trailing_comma"),
				Arguments.of(open + "/* who? */}", "comments"), Arguments.of("// a note\n" + JOB, "comments"),
				Arguments.of(JOB.replace("Cook", "Co\\ok"), "backslashes"),
				Arguments.of(JOB.replace("\"", "&quot;"), "entities"));
	}

	@Test
	void repairsLinesThatBreakInsideOfTexts() {
		ReadPage page = read("<script type='application/ld+json'>%s</script>".formatted(
				"{\"@type\":\"JobPosting\",\"title\":\"Cook\",\"description\":\"One\nTwo\tThree\",\"identifier\":7}"));

		assertThat(page.postings().getFirst().content().get("description").asString()).isEqualTo("One\nTwo\tThree");
		assertThat(page.repairs()).containsExactly("raw_control_characters");
	}

	@Test
	void keepsEntitiesOfTextsThatNeedNoRepair() {
		ReadPage page = read(script(
				"{\"@type\":\"JobPosting\",\"title\":\"R&amp;D &quot;Cook&quot;\",\"identifier\":7,\"n\":1.10,\"d\":\"a //b /* c */ ,}\"}"));

		assertThat(page.postings().getFirst().content()).hasToString(
				"{\"@type\":\"JobPosting\",\"title\":\"R&amp;D &quot;Cook&quot;\",\"identifier\":7,\"n\":1.10,\"d\":\"a //b /* c */ ,}\"}");
	}

	@Test
	void goesOnBehindWhatCantBeRead() {
		ReadPage page = read(script("{\"@type\":\"JobPosting\" \"title\"") + script(JOB));

		assertThat(page.postings()).hasSize(1);
		assertThat(page.broken()).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = {
			"{\"@context\":\"https://example.org/vocabulary\",\"@type\":\"JobPosting\",\"title\":\"Cook\"}",
			"{\"@type\":\"JobPosting\"}", "{\"@type\":\"JobPosting\",\"title\":\" \"}",
			"{\"@type\":\"Job\",\"title\":\"Cook\"}",
			"{\"@type\":\"https://example.org/JobPosting\",\"title\":\"Cook\"}", "null", "[]", "\"JobPosting\"" })
	void inventsNone(String json) {
		assertThat(read(script(json)).postings()).isEmpty();
	}

	@Test
	void followsWhatAListNames() {
		ReadPage page = read(script("""
				{"@context":"https://schema.org","@type":"ItemList","itemListElement":[
				{"@type":"ListItem","position":1,"url":"/jobs/8"},
				{"@type":"ListItem","item":{"@type":"JobPosting","url":"https://careers.example.org/jobs/9"}}]}"""));

		assertThat(page.postings()).isEmpty();
		assertThat(page.links()).containsExactly("https://careers.example.org/jobs/8",
				"https://careers.example.org/jobs/9");
	}

	@Test
	void tellsPostingsOfOnePageApart() {
		ReadPage page = read(
				script("""
						[{"@type":"JobPosting","title":"A","url":"/a"},{"@type":"JobPosting","title":"B","url":"b?utm_source=x"},
						{"@type":"JobPosting","title":"C"},{"@type":"JobPosting","title":"D"},
						{"@type":"JobPosting","title":"E","identifier":"Acme"},{"@type":"JobPosting","title":"F","identifier":"Acme"},
						{"@type":"JobPosting","title":"G","identifier":"Acme","url":"/g"},{"@type":"JobPosting","title":"A","url":"/a"}]""")
						+ "<link rel='canonical' href='/jobs/seven'>");

		assertThat(page.postings())
			.extracting((posting) -> posting.id() + " " + posting.content().get("title").asString())
			.containsExactly("https://careers.example.org/a A", "https://careers.example.org/jobs/b B",
					"https://careers.example.org/jobs/seven#1 C", "https://careers.example.org/jobs/seven#2 D",
					"careers.example.org:Acme#1 E", "careers.example.org:Acme#2 F",
					"careers.example.org:Acme#https://careers.example.org/g G");
	}

	@Test
	void shortensIdsThatAreTooLong() {
		ReadPage page = read(
				script("{\"@type\":\"JobPosting\",\"title\":\"A\",\"identifier\":\"%s\"}".formatted("x".repeat(600))));

		assertThat(page.postings().getFirst().id()).startsWith("careers.example.org:sha256:").hasSizeLessThan(512);
	}

	@Test
	void readsMicrodata() {
		ReadPage page = read(
				"""
						<div itemscope itemtype="http://schema.org/JobPosting">
						 <h1 itemprop="title">Cook</h1> <meta itemprop="datePosted" content="2026-11-01">
						 <div itemprop="hiringOrganization" itemscope itemtype="https://schema.org/Organization">
						  <span itemprop="name">Acme</span></div>
						 <a itemprop="url" href="/jobs/7">here</a> <span itemprop="skills">a</span><span itemprop="skills">b</span>
						 <time itemprop="validThrough" datetime="2099-01-01">soon</time>
						</div>""");

		assertThat(page.postings()).hasSize(1);
		assertThat(page.postings().getFirst().id()).isEqualTo("https://careers.example.org/jobs/7");
		assertThat(page.postings().getFirst().content()).hasToString("""
				{"@context":"https://schema.org","@type":"JobPosting","title":"Cook","datePosted":"2026-11-01",\
				"hiringOrganization":{"@type":"Organization","name":"Acme"},"url":"https://careers.example.org/jobs/7",\
				"skills":["a","b"],"validThrough":"2099-01-01"}""");
	}

	@Test
	void readsRdfaLite() {
		ReadPage page = read("""
				<div vocab="https://schema.org/" typeof="JobPosting"><h1 property="title">Cook</h1>
				<div property="hiringOrganization" typeof="Organization"><b property="name">Acme</b></div></div>""");

		assertThat(page.postings().getFirst().content()).hasToString(
				"""
						{"@context":"https://schema.org","@type":"JobPosting","title":"Cook","hiringOrganization":{"@type":"Organization","name":"Acme"}}""");
	}

	@Test
	void prefersJsonLd() {
		ReadPage page = read(script(JOB)
				+ "<div itemscope itemtype='https://schema.org/JobPosting'><h1 itemprop='title'>Cook</h1></div>");

		assertThat(page.postings()).extracting(Posting::id).containsExactly("careers.example.org:7");
	}

	@Test
	void endsACircleOfReferences() {
		ReadPage page = read(
				"""
						<div id="a" itemscope itemtype="https://schema.org/JobPosting" itemref="b"><h1 itemprop="title">Cook</h1></div>
						<div id="b" itemprop="x" itemscope itemref="b c"></div><div id="c" itemprop="y" itemscope itemref="b"></div>""");

		assertThat(page.postings()).hasSize(1);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "noindex|0|1", "NoFollow|1|0", "none|0|0", "noindex, nofollow|0|0", "index, follow|1|1",
					"jobs-crawler: noindex|0|1", "otherbot: noindex|1|1", "max-snippet:20, noindex|0|1",
					"unavailable_after: 25 Jun 2030 15:00:00 GMT|1|1" })
	void heedsTheOwner(String directives, int postings, int links) {
		String html = "<a href='/a'>x</a>" + script(JOB);

		ReadPage byHeader = read(html, "text/html", Map.of("X-Robots-Tag", List.of(directives)));
		assertThat(byHeader.postings()).hasSize(postings);
		assertThat(byHeader.links()).hasSize(links);
	}

	@Test
	void heedsTheOwnerByAnElement() {
		ReadPage page = read(
				"<meta name='ROBOTS' content='NOINDEX'><a href='/a' rel='nofollow ugc'>x</a><a href='b'>y</a>"
						+ script(JOB));

		assertThat(page.postings()).isEmpty();
		assertThat(page.links()).containsExactly("https://careers.example.org/jobs/b");
	}

	@Test
	void findsLinks() {
		ReadPage page = read("""
				<base href="/base/"><a href="a#x">1</a><a href="a">2</a><area href="b"><iframe src="c"></iframe>
				<link rel="next" href="?page=2"><link rel="stylesheet" href="s.css"><a href="mailto:x@example.org">3</a>
				<meta http-equiv="refresh" content="0; url='d'"><a href="https://other.example/e f">4</a><a>5</a>""");

		assertThat(page.links()).containsExactly("https://careers.example.org/base/a",
				"https://careers.example.org/base/b", "https://careers.example.org/base/c",
				"https://careers.example.org/base/?page=2", "https://careers.example.org/base/d",
				"https://other.example/e%20f");
	}

	@ParameterizedTest
	@CsvSource({ "text/html; charset=ISO-8859-1, ISO-8859-1, ''",
			"text/html; charset=\"windows-1252\", windows-1252, ''", "text/html, UTF-8, ''",
			"text/html, ISO-8859-1, <meta charset=ISO-8859-1>", "text/html; charset=none, UTF-8, ''",
			"text/html; charset=ISO-8859-1, UTF-8, \uFEFF", "text/html, UTF-16, ''" })
	void readsEachCharset(String type, String charset, String before) {
		String html = before + script("{\"@type\":\"JobPosting\",\"title\":\"Köchin\"}");

		ReadPage page = read(this.reader,
				new Answer.Page(headers(type, Map.of()), html.getBytes(Charset.forName(charset))));

		assertThat(page.postings().getFirst().content().get("title").asString()).isEqualTo("Köchin");
	}

	@ParameterizedTest
	@CsvSource({ "2026-11-28, 2026-11-29T12:00:00Z", "2026-11-28T10:00, 2026-11-28T10:00:00Z",
			"2026-11-28T10:00:00+02:00, 2026-11-28T08:00:00Z", "2026-11-28T10:00:00+0200, 2026-11-28T08:00:00Z",
			"2026-11-28 10:00:00, 2026-11-28T10:00:00Z", "2026-11-28T10:00:00.000Z, 2026-11-28T10:00:00Z" })
	void knowsUntilWhenAPostingStands(String text, Instant end) {
		ReadPage page = read(
				script("{\"@type\":\"JobPosting\",\"title\":\"A\",\"validThrough\":\"%s\"}".formatted(text)));

		assertThat(page.postings().getFirst().validThrough()).contains(end);
	}

	@ParameterizedTest
	@ValueSource(strings = { "soon", "", "31.12.2026", "0" })
	void knowsWhatIsNoTime(String text) {
		ReadPage page = read(
				script("{\"@type\":\"JobPosting\",\"title\":\"A\",\"validThrough\":\"%s\"}".formatted(text)));

		assertThat(page.postings().getFirst().validThrough()).isEmpty();
	}

	/** The library ends a page there as if it were whole. */
	@Test
	void readsNoPageInPart() {
		Answer.Page page = answer("<p>".repeat(100_000), "text/html", Map.of());
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.reader.read(URL, page));
		assertThat(Thread.interrupted()).isTrue();
	}

	private static String script(String json) {
		return "<script type='application/ld+json'>" + json + "</script>";
	}

	private ReadPage read(String html) {
		return read(html, "text/html; charset=utf-8", Map.of());
	}

	private ReadPage read(String html, String type, Map<String, List<String>> headers) {
		return read(this.reader, answer(html, type, headers));
	}

	private static ReadPage read(PageReader reader, Answer.Page page) {
		try {
			return reader.read(URL, page);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Answer.Page answer(String html, String type, Map<String, List<String>> headers) {
		return new Answer.Page(headers(type, headers), html.getBytes(StandardCharsets.UTF_8));
	}

	private static HttpHeaders headers(String type, Map<String, List<String>> others) {
		Map<String, List<String>> all = new java.util.HashMap<>(others);
		all.put("Content-Type", List.of(type));
		return HttpHeaders.of(all, (_, _) -> true);
	}

}
