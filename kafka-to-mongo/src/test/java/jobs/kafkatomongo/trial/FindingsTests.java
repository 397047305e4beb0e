package jobs.kafkatomongo.trial;

import java.nio.charset.StandardCharsets;
import java.time.Instant;

import jobs.contract.Contract;
import jobs.contract.RefusedDocumentException;
import jobs.kafkatomongo.trial.Findings.Kind;
import jobs.kafkatomongo.trial.Findings.Summary;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * What is refused is told by kinds, in bounded memory.
 */
class FindingsTests {

	private final Findings findings = new Findings();

	@Test
	void countsADocumentOnceForEachKind() {
		Contract contract = new Contract(
				"{\"properties\":{\"lines\":{\"items\":{\"required\":[\"sku\"],\"properties\":{\"n\":{\"minimum\":1}}}}}}");

		refuse(contract, "a", "{\"lines\":[{},{\"sku\":1},{},{\"sku\":1,\"n\":0}]}");
		refuse(contract, "b", "{\"lines\":[{\"sku\":1,\"n\":0}]}");
		this.findings.pass();

		Summary summary = this.findings.summary();
		assertThat(summary).extracting(Summary::read, Summary::passed, Summary::refused).containsExactly(3L, 1L, 2L);
		assertThat(summary.kinds()).extracting(Kind::pointer).containsExactly("/lines/*/n", "/lines/*/sku");
		assertThat(summary.kinds().getFirst().count()).isEqualTo(2);
		assertThat(summary.kinds().getFirst().examples()).containsExactly("a", "b");
		assertThat(summary.kinds().getLast().count()).isEqualTo(1);
	}

	@Test
	void tellsSinceWhenAndUntilWhen() {
		for (int second : new int[] { 5, 1, 9 }) {
			this.findings.refuse("id", Instant.ofEpochSecond(second), refusal(new Contract("false"), "{}"));
		}
		this.findings.refuse("id", null, refusal(new Contract("false"), "{}"));

		assertThat(this.findings.summary()).extracting(Summary::since, Summary::until)
			.containsExactly("1970-01-01T00:00:01Z", "1970-01-01T00:00:09Z");
	}

	@Test
	void keepsABoundedNumberOfKindsAndExamples() {
		Contract contract = new Contract("{\"additionalProperties\":false}");

		for (int i = 0; i < 2 * Findings.MAX_KINDS; i++) {
			refuse(contract, "id-" + i, "{\"field-%d\":1,\"same\":1}".formatted(i));
		}

		Summary summary = this.findings.summary();
		assertThat(summary.refused()).isEqualTo(200);
		assertThat(summary.kinds()).hasSize(Findings.MAX_KINDS);
		assertThat(summary.hasMoreKinds()).isTrue();
		assertThat(summary.kinds().getFirst().count()).isEqualTo(200);
		assertThat(summary.kinds().getFirst().examples()).hasSize(10);
	}

	@Test
	void takesTextThatIsNoJsonForOneKind() {
		refuse(new Contract("true"), "a", "{");
		refuse(new Contract("true"), "b".repeat(100_000), "{\n\n x");

		assertThat(this.findings.summary().kinds()).singleElement().satisfies((kind) -> {
			assertThat(kind.detail()).isEqualTo("The job is not valid JSON");
			assertThat(kind.examples().getLast()).hasSizeLessThan(1000);
		});
	}

	private void refuse(Contract contract, String id, String document) {
		this.findings.refuse(id, null, refusal(contract, document));
	}

	private static RefusedDocumentException refusal(Contract contract, String document) {
		return catchThrowableOfType(RefusedDocumentException.class,
				() -> contract.check(document.getBytes(StandardCharsets.UTF_8)));
	}

}
