package jobs.crawler.url;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class UrlsTests {

	@ParameterizedTest
	@CsvSource({ "HTTP://Example.COM, http://example.com/", "http://example.com:80/a, http://example.com/a",
			"https://example.com:443/a, https://example.com/a", "https://example.com:80/a, https://example.com:80/a",
			"http://example.com/a/./b/../c, http://example.com/a/c", "http://example.com/../../a, http://example.com/a",
			"http://example.com/..., http://example.com/...", "http://example.com/a#b, http://example.com/a",
			"http://example.com/a?#b, http://example.com/a",
			"http://example.com/%7Euser/?x=1, http://example.com/~user/?x=1",
			"http://example.com/a b?c d, http://example.com/a%20b?c%20d",
			"http://example.com/ü?ü=ü, http://example.com/%C3%BC?%C3%BC=%C3%BC",
			"http://example.com/%c3%bc, http://example.com/%C3%BC",
			"http://bücher.example/, http://xn--bcher-kva.example/",
			"http://user:secret@example.com/, http://example.com/", "http://example.com./a, http://example.com/a",
			"http://example.com/a|b, http://example.com/a%7Cb", "http://[::1]:8080/a, http://[::1]:8080/a",
			"http://example.com/a;jsessionid=1F?b=2, http://example.com/a?b=2",
			"http://example.com/?b=2&a=1&utm_source=x, http://example.com/?b=2&a=1",
			"http://example.com/?gclid=7, http://example.com/", "http://example.com\\a\\b, http://example.com/a/b",
			"http://example.com/?q=a|b, http://example.com/?q=a%7Cb",
			"http://example.com/%zz, http://example.com/%25zz" })
	void writesEachInItsUsualForm(String url, String normal) {
		assertThat(Urls.normal(url)).contains(normal);
		assertThat(Urls.normal(normal)).contains(normal);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "mailto:ann@example.com", "javascript:void(0)", "ftp://example.com/", "http://", "http:///a",
					"example.com", "http://exa mple.com/", "http://example.com:x/", "http://example.com:999999/", "" })
	void takesNoOthers(String url) {
		assertThat(Urls.normal(url)).isEmpty();
	}

	@Test
	void takesNoneThatIsTooLong() {
		assertThat(Urls.normal("http://example.com/" + "a".repeat(2048))).isEmpty();
	}

	/** By the cases of web-platform-tests, as far as they are of http and https. */
	@Test
	void resolvesAsBrowsersDo() throws IOException {
		List<String> others = new ArrayList<>();
		int count = 0;
		for (JsonNode one : cases()) {
			count++;
			String base = Urls.normal(one.get("base").asString()).orElseThrow();
			Optional<String> expected = one.get("href").isNull() ? Optional.empty()
					: Urls.normal(one.get("href").asString());
			Optional<String> resolved = Urls.resolved(base, one.get("input").asString());
			if (!resolved.equals(expected)) {
				others.add(one.get("input").toString());
			}
		}
		assertThat(count).isEqualTo(399);
		assertThat(others).containsExactlyElementsOf(otherwise());
	}

	/** The README beside these lists tells why. */
	private static List<String> otherwise() throws IOException {
		try (InputStream in = Objects.requireNonNull(UrlsTests.class.getResourceAsStream("/wpt/otherwise.txt"))) {
			return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
		}
	}

	private static JsonNode cases() throws IOException {
		try (InputStream in = Objects.requireNonNull(UrlsTests.class.getResourceAsStream("/wpt/urltestdata.json"))) {
			return JsonMapper.shared().readTree(in);
		}
	}

}
