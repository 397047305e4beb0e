package jobs.kafkatomongo.trial;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import jobs.chassis.operations.OneLine;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a new contract would do.
 *
 * @param contract the SHA-256 of it
 * @param warnings its keywords that refuse nothing although they look as if
 * @param documents what is stored
 * @param deadLetters those that are open and kept whole
 * @param records the last ones of the topic, where they were asked for
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Outcome(String resource, String contract, List<String> warnings, Findings.Summary documents,
		Findings.Summary deadLetters, Findings.@Nullable Summary records) {

	/** Whether it would refuse what is accepted today. */
	boolean refuses() {
		return this.documents.refused() > 0 || (this.records != null && this.records.refused() > 0);
	}

	String toJson() {
		return JsonMapper.shared().writeValueAsString(this);
	}

	String toText() {
		StringBuilder text = new StringBuilder();
		this.warnings.forEach((warning) -> line(text, "Warning: " + warning));
		line(text, "%s: %d of %d stored documents would be refused%s.".formatted(this.resource,
				this.documents.refused(), this.documents.read(), times(this.documents)));
		kinds(text, this.documents);
		line(text, "%s: %d of %d open dead letters would pass now, and %d still would not.".formatted(this.resource,
				this.deadLetters.passed(), this.deadLetters.read(), this.deadLetters.refused()));
		kinds(text, this.deadLetters);
		if (this.records != null) {
			line(text, "%s: %d of the last %d records would be refused%s.".formatted(this.resource,
					this.records.refused(), this.records.read(), times(this.records)));
			kinds(text, this.records);
		}
		return text.toString();
	}

	private static String times(Findings.Summary findings) {
		return (findings.since() != null) ? ", accepted from %s to %s".formatted(findings.since(), findings.until())
				: "";
	}

	private static void kinds(StringBuilder text, Findings.Summary findings) {
		findings.kinds()
			.forEach((kind) -> line(text, "  %s: %d, such as %s".formatted(
					(kind.pointer() + " " + kind.detail()).strip(), kind.count(), String.join(", ", kind.examples()))));
		if (findings.hasMoreKinds()) {
			line(text, "  and more kinds");
		}
	}

	/** Ids may have characters that would change a terminal. */
	private static void line(StringBuilder text, String line) {
		text.append(OneLine.of(line)).append('\n');
	}

}
