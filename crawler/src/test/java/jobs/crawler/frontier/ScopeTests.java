package jobs.crawler.frontier;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ScopeTests {

	@ParameterizedTest
	@CsvSource({ "http://example.com/2026/11/28?day=7&x=y, http://example.com/0/0/0?day&x",
			"http://example.com/job-17a/, http://example.com/job-0a/",
			"http://example.com/?1=2&3, http://example.com/?1&3", "http://example.com/, http://example.com/" })
	void tellsPagesThatLookAlike(String url, String shape) {
		assertThat(Scope.shape(url)).isEqualTo(shape);
	}

	@ParameterizedTest
	@ValueSource(strings = { "http://example.com/a/a/a/a", "http://example.com/a/b/a/b/a/b/a/b/",
			"http://example.com/a/a/a?a" })
	void takesARepeatedSegmentForATrap(String url) {
		assertThat(scope().refusal(url, 0)).isEqualTo("trap");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "http://example.com/a/a/a", "http://example.com/////", "http://example.com/a/b/c/d/e/f/g" })
	void takesOthersForPages(String url) {
		assertThat(scope().refusal(url, 0)).isEmpty();
	}

	@Test
	void hasTheHostsOfItsRootsAlone() {
		assertThat(scope().refusal("http://example.com:8080/", 0)).isEqualTo("other host");
		assertThat(scope().refusal("http://example.org/", 0)).isEqualTo("other host");
		assertThat(scope().refusal("http://example.com/", 4)).isEqualTo("too deep");
	}

	private static Scope scope() {
		Scope scope = new Scope(false, List.of(), List.of(), 3);
		scope.addRoot("http://example.com/");
		return scope;
	}

}
