package jobs.crawler.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * By the cases of google/robotstxt and by the examples of RFC 9309.
 */
class RobotsTests {

	/**
	 * Lines of robots_test.cc that ask for what Google does beyond the RFC, or against
	 * its figure 4.
	 */
	private static final List<Integer> OF_GOOGLE_ALONE = List.of(247, 419, 430, 441, 505, 539, 565);

	@Test
	void agreesWithTheCasesOfGoogle() throws IOException {
		List<Integer> others = new ArrayList<>();
		int count = 0;
		for (JsonNode one : cases("google-robotstxt")) {
			count++;
			if (isAllowed(one) != one.get("allowed").asBoolean()) {
				others.add(one.get("line").asInt());
			}
		}
		assertThat(count).isEqualTo(145);
		assertThat(others).containsExactlyElementsOf(OF_GOOGLE_ALONE);
	}

	@Test
	void agreesWithTheExamplesOfTheRfc() throws IOException {
		List<String> others = new ArrayList<>();
		int count = 0;
		for (JsonNode one : cases("rfc9309")) {
			count++;
			if (!one.get("basis").asString().equals("open") && isAllowed(one) != one.get("allowed").asBoolean()) {
				others.add(one.toString());
			}
		}
		assertThat(count).isEqualTo(92);
		assertThat(others).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "/*.php$, /a.php.php, true", "/a*b*c$, /abcbc, true", "/a*b*c$, /abcb, false", "/a$, /a, true",
			"/a$, /ab, false", "/a*, /ab, true", "/*a*a$, /a, false", "/, /x, true", "/ab*ba$, /aba, false" })
	void comparesPatterns(String pattern, String path, boolean matches) {
		assertThat(PathPattern.of(pattern).matches(path)).isEqualTo(matches);
	}

	@ParameterizedTest
	@ValueSource(strings = { "https://host/private/a%7Cb", "https://host/private/?q=%20" })
	void forbidsPathsWithEscapedCharacters(String url) {
		assertThat(robots("User-agent: *\nDisallow: /private").allows(url)).isFalse();
	}

	@Test
	void forbidsWhatHasADollarWithin() {
		assertThat(robots("User-agent: *\nDisallow: /a$b").allows("https://host/a$b")).isFalse();
	}

	@Test
	void crawlsNoHostThatAsksForTooLongAPause() {
		Robots slow = robots("User-agent: *\nCrawl-delay: 301\nSitemap: https://host/sitemap.xml");

		assertThat(slow.allows("https://host/")).isFalse();
		assertThat(slow.failure()).contains("pause");
		assertThat(robots("User-agent: *\nCrawl-delay: 2.5").pause()).isEqualTo(Duration.ofMillis(2500));
		assertThat(robots("User-agent: *\nCrawl-delay: -5").pause()).isEqualTo(Duration.ZERO);
	}

	@Test
	void readsTheFirst500KibibytesAlone() {
		String comment = "#".repeat(Robots.MAX_BYTES);

		assertThat(robots("User-agent: *\nDisallow: /a\n" + comment + "\nDisallow: /b\n").allows("https://host/b"))
			.isTrue();
		assertThat(robots("User-agent: *\nDisallow: /a\n" + comment + "\nDisallow: /b\n").allows("https://host/a"))
			.isFalse();
	}

	private static Robots robots(String text) {
		return Robots.of("https://host/robots.txt", text.getBytes(StandardCharsets.UTF_8), "jobs-crawler",
				Instant.now());
	}

	private static boolean isAllowed(JsonNode one) {
		String url = one.get("url").asString();
		return Robots
			.of("https://host/robots.txt", one.get("robots").asString().getBytes(StandardCharsets.UTF_8),
					one.get("agent").asString(), Instant.now())
			.allows(url.isEmpty() ? "http://host/" : url);
	}

	private static JsonNode cases(String name) throws IOException {
		try (InputStream in = Objects
			.requireNonNull(RobotsTests.class.getResourceAsStream("/robots/%s.json".formatted(name)))) {
			return JsonMapper.shared().readTree(in);
		}
	}

}
