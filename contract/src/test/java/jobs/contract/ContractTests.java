package jobs.contract;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import jobs.contract.RefusedDocumentException.Fault;
import jobs.testkit.HostileJobs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

class ContractTests {

	private static final Path EXAMPLES = Path.of("../contract/examples");

	private final Contract contract = Contract.load();

	@ParameterizedTest
	@MethodSource
	void accepts(String job) {
		assertThatNoException().isThrownBy(() -> this.contract.check(utf8(job)));
	}

	static List<String> accepts() throws IOException {
		return Files.readAllLines(EXAMPLES.resolve("accepted.ndjson"));
	}

	@ParameterizedTest
	@MethodSource
	void refuses(String pointer, String job) {
		RefusedDocumentException refusal = refusal(utf8(job));

		assertThat(refusal.fault()).isEqualTo(pointer.equals("-") ? Fault.NOT_JSON : Fault.CONTRACT);
		assertThat(refusal.violations()).extracting(Violation::pointer)
			.containsExactlyElementsOf(pointer.equals("-") ? List.of() : List.of(pointer));
	}

	static Stream<String[]> refuses() throws IOException {
		return Files.readAllLines(EXAMPLES.resolve("refused.tsv")).stream().map((line) -> line.split("\t", 2));
	}

	@Test
	void namesEveryBrokenRule() {
		RefusedDocumentException refusal = refusal(utf8("{\"title\":\" \",\"company\":1,\"salary\":2}"));

		assertThat(refusal.violations()).extracting(Violation::pointer)
			.containsExactlyInAnyOrder("/title", "/company", "/salary");
	}

	@Test
	void saysInWordsThatATitleIsBlank() {
		RefusedDocumentException refusal = refusal(utf8("{\"title\":\" \"}"));

		assertThat(refusal.violations()).containsExactly(new Violation("/title", "must not be blank"));
	}

	/**
	 * A document has no field of such a name, or none that comes back as it was.
	 */
	@Test
	void refusesNamesThatAreNoText() {
		assertThat(refusal(utf8("{\"title\":\"a\",\"b\\u0000\":1}")).violations())
			.containsExactly(new Violation("/b\0", "has a NUL in its name"));
		assertThat(refusal(utf8("{\"title\":\"a\",\"b\\ud800\":{\"c\\udc00\":1}}")).violations()).containsExactly(
				new Violation("/b\ud800", "has a lone surrogate in its name"),
				new Violation("/b\ud800/c\udc00", "has a lone surrogate in its name"));
		assertThatNoException()
			.isThrownBy(() -> this.contract.check(utf8("{\"title\":\"a\",\"\\ud83d\\ude00\":\"\\ud83d\\ude00\"}")));
	}

	@Test
	void shortensWordsToFiveHundredCharactersAndBreaksNoPair() {
		for (String words : List.of("x".repeat(501), "x".repeat(499) + "\ud83d\ude00")) {
			Contract wordy = new Contract(
					"{\"properties\":{\"title\":{\"type\":\"string\",\"x-detail\":{\"type\":\"%s\"}}}}"
						.formatted(words));

			assertThat(assertThatExceptionOfType(RefusedDocumentException.class)
				.isThrownBy(() -> wordy.check(utf8("{\"title\":1}")))
				.actual()
				.violations()).extracting(Violation::detail)
				.containsExactly(words.startsWith("x".repeat(500)) ? "x".repeat(500) : "x".repeat(499));
		}
	}

	@Test
	void namesAFieldOfWhichThePointerHasTwoHundredCharacters() {
		String name = "x".repeat(198);

		assertThat(refusal(utf8("{\"title\":\"a\",\"$" + name + "\":1}")).violations()).extracting(Violation::pointer)
			.containsExactly("/$" + name);
		assertThat(refusal(utf8("{\"title\":\"a\",\"$" + name + "x\":1}")).violations()).extracting(Violation::pointer)
			.containsExactly("");
	}

	@Test
	void namesAHundredBrokenRulesAtMost() {
		StringBuilder job = new StringBuilder("{\"title\":\"a\"");
		for (int i = 0; i < 1000; i++) {
			job.append(",\"$").append(i).append("\":1");
		}

		assertThat(refusal(utf8(job.append('}').toString())).violations()).hasSize(100);
	}

	/**
	 * Else a job of 256 KiB makes a refusal of 20 MB.
	 */
	@Test
	void namesTheNearestFieldOfWhichThePointerIsShort() {
		String name = "x".repeat(40_000);
		String object = "{\"$1\":1,\"$2\":2}";

		assertThat(
				refusal(utf8("{\"title\":\"a\",\"b\":{\"c\":{\"" + name + "\":{\"d\":" + object + "}}}}")).violations())
			.extracting(Violation::pointer)
			.containsExactly("/b/c", "/b/c");
		assertThat(refusal(utf8("{\"title\":\"a\",\"$" + name + "\":1}")).violations()).extracting(Violation::pointer)
			.containsExactly("");
	}

	@Test
	void refusesBytesThatAreNotUtf8() {
		byte[] overlong = { '{', '"', 't', 'i', 't', 'l', 'e', '"', ':', '"', (byte) 0xc0, (byte) 0xaf, '"', '}' };
		byte[] surrogate = { '{', '"', 't', 'i', 't', 'l', 'e', '"', ':', '"', (byte) 0xed, (byte) 0xa0, (byte) 0x80,
				'"', '}' };

		assertThat(refusal(overlong).detail()).contains("UTF-8");
		assertThat(refusal(surrogate).detail()).contains("UTF-8");
		assertThat(refusal("{\"title\":\"a\"}".getBytes(StandardCharsets.UTF_16LE)).fault()).isEqualTo(Fault.NOT_JSON);
		assertThat(refusal("{\"title\":\"a\"}".getBytes(StandardCharsets.UTF_16)).fault()).isEqualTo(Fault.NOT_JSON);
	}

	@Test
	void acceptsNestingUpTo64Levels() {
		assertThatNoException().isThrownBy(() -> this.contract.check(nested(64)));

		assertThat(refusal(nested(65)).detail()).contains("64 levels");
		assertThat(refusal(nested(50_000)).detail()).contains("64 levels");
	}

	@Test
	void refusesNamesAndNumbersOfUnboundedLength() {
		assertThat(refusal(utf8("{\"title\":\"a\",\"" + "x".repeat(60_000) + "\":1}")).detail())
			.isEqualTo("A field name in the job is longer than 50000 characters");
		assertThat(refusal(utf8("{\"title\":\"a\",\"n\":" + "1".repeat(60_000) + "}")).detail())
			.isEqualTo("The number at /n is longer than 1000 characters");
		assertThat(refusal(utf8("{\"title\":\"a\",\"n\":{\"b\":1},\"m\":[1,0." + "1".repeat(60_000) + "]}")).detail())
			.isEqualTo("The number at /m/1 is longer than 1000 characters");
	}

	/** As Windows tools write it, and editors don't show it. */
	@Test
	void namesAByteOrderMark() {
		assertThat(refusal(utf8("\uFEFF{\"title\":\"a\"}")).detail()).contains("byte order mark", "UTF-8");
		assertThat(refusal("\uFEFF{\"title\":\"a\"}".getBytes(StandardCharsets.UTF_16LE)).detail()).contains("UTF-16");
		assertThat(refusal("\uFEFF{\"title\":\"a\"}".getBytes(StandardCharsets.UTF_16BE)).detail()).contains("UTF-16");
	}

	@Test
	void doesNotRefuseAJobForTheNamesOfTheJobsBeforeIt() {
		for (String job : HostileJobs.withCollidingNames()) {
			assertThatNoException().isThrownBy(() -> this.contract.check(utf8(job)));
		}
	}

	private RefusedDocumentException refusal(byte[] job) {
		return assertThatExceptionOfType(RefusedDocumentException.class).isThrownBy(() -> this.contract.check(job))
			.actual();
	}

	private static byte[] nested(int levels) {
		return utf8("{\"title\":\"a\",\"a\":" + "[".repeat(levels - 1) + "]".repeat(levels - 1) + "}");
	}

	private static byte[] utf8(String job) {
		return job.getBytes(StandardCharsets.UTF_8);
	}

}
