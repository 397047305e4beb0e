package jobs.resttokafka.http;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

class PreferTests {

	@ParameterizedTest
	@ValueSource(strings = { "return=minimal", "Return = Minimal", "return=\"minimal\"",
			" respond-async,return=minimal", "wait=5 , return=minimal; foo=\"a,b\"",
			"x=\"a, return=representation\", return=minimal", "x=\"\\\", return=representation\"; y, return=minimal",
			",, return=minimal", "return=minimal, return=representation", "return=minimal;q" })
	void isMinimal(String preferences) {
		assertThat(isMinimal(new String[] { preferences })).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "return", "return=", "return=\"\"", "minimal", "return=representation",
			"return=minimalist", "returns=minimal", "x=\"return=minimal\"", "x=\"a, return=minimal\"",
			"x; return=minimal", "return=representation, return=minimal", "\"", "=" })
	void isNotMinimal(String preferences) {
		assertThat(isMinimal(new String[] { preferences })).isFalse();
	}

	@Test
	void readsSeveralHeaders() {
		assertThat(isMinimal(new String[] {})).isFalse();
		assertThat(isMinimal(new String[] { "wait=5", "return=minimal" })).isTrue();
		assertThat(isMinimal(new String[] { "return=representation", "return=minimal" })).isFalse();
	}

	private static boolean isMinimal(String[] headers) {
		MockHttpServletRequest request = new MockHttpServletRequest();
		for (String header : headers) {
			request.addHeader("Prefer", header);
		}
		return RequestHeaders.Prefer.isMinimal(request);
	}

}
