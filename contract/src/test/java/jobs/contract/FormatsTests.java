package jobs.contract;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/** The official test suite of JSON Schema has the whole; here is what stands out. */
class FormatsTests {

	@ParameterizedTest
	@CsvSource({ "date-time, 2026-11-27T10:00:00Z", "date-time, 1998-12-31T23:59:60Z", "date, 2024-02-29",
			"time, 10:00:00+01:00", "duration, P1Y2M3DT4H5M6S", "duration, P4W", "email, a@b.example",
			"idn-email, \uc2e4\ub840@\uc2e4\ub840.\ud14c\uc2a4\ud2b8", "hostname, www.example.com",
			"hostname, xn--4gbwdl.xn--wgbh1c", "idn-hostname, \uc2e4\ub840.\ud14c\uc2a4\ud2b8", "ipv4, 192.168.0.1",
			"ipv6, ::ffff:192.168.0.1", "uri, http://example.com:8080/a?b=c#d", "uri, urn:a:b",
			"uri, 'http://[v1.fe]/'", "uri-reference, ../a#b", "iri, http://\u0192\u00f8\u00f8.\u00df\u00e5r/",
			"iri-reference, \u00e2", "uuid, 2EB8AA08-aa98-11ea-b4aa-73b441d16380",
			"uri-template, 'http://example.com/{+path,x:3}'", "json-pointer, /a~1b/#/0", "relative-json-pointer, 1/a",
			"regex, (?<=a)b", "nothing, ?" })
	void accept(String format, String value) {
		assertThat(Formats.test(format).test(value)).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "date-time, yesterday", "date-time, 2026-11-27T10:00:00", "date, 2023-02-29", "time, 10:00:00",
			"duration, P1", "duration, PT1D", "duration, P1W2D", "email, a", "idn-email, a", "hostname, -a",
			"hostname, a_b", "hostname, xn--X", "idn-hostname, example.", "ipv4, 192.168.0.256", "ipv4, 192.168.00.1",
			"ipv6, 12345::", "uri, /a", "uri, http://example.com:abc/", "uri-reference, \\a", "iri, /a",
			"iri-reference, //a@b@c/", "uuid, 2eb8aa08", "uri-template, '{a'", "json-pointer, a", "json-pointer, /~2",
			"relative-json-pointer, 01/a", "regex, (", "regex, \\a" })
	void refuse(String format, String value) {
		assertThat(Formats.test(format).test(value)).isFalse();
	}

	/** A value may be as long as a document, and a stack is small. */
	@Test
	void takeLongValues() throws InterruptedException {
		Thread small = new Thread(null, FormatsTests::testLongValues, "small", 512 * 1024);
		boolean[] isFaulty = { false };
		small.setUncaughtExceptionHandler((thread, ex) -> isFaulty[0] = true);
		small.start();

		assertThat(small.join(Duration.ofSeconds(30))).isTrue();
		assertThat(isFaulty[0]).isFalse();
	}

	private static void testLongValues() {
		for (String format : Formats.names()) {
			for (String unit : new String[] { "a", "a.", "/a", "{a}", "a@", "1", "(", "\u0627", "%20", "xn--a." }) {
				assertThatNoException().isThrownBy(() -> Formats.test(format).test(unit.repeat(100_000)));
			}
		}
	}

}
