package jobs.kafkatomongo;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A record that is no job and never will be.
 */
class BadJobException extends Exception {

	private final DeadLetter.Reason reason;

	private final String detail;

	private final transient List<JobSchema.BrokenRule> rules;

	BadJobException(DeadLetter.Reason reason, String detail) {
		this(reason, detail, List.of());
	}

	/**
	 * A record that breaks rules of some fields.
	 * @param rules the rules
	 */
	BadJobException(List<JobSchema.BrokenRule> rules) {
		this(DeadLetter.Reason.CONTRACT,
				rules.stream().map((rule) -> rule.pointer() + " " + rule.detail()).collect(Collectors.joining("; ")),
				rules);
	}

	private BadJobException(DeadLetter.Reason reason, String detail, List<JobSchema.BrokenRule> rules) {
		super(detail, null, false, false);
		this.reason = reason;
		this.detail = detail;
		this.rules = rules;
	}

	DeadLetter.Reason reason() {
		return this.reason;
	}

	String detail() {
		return this.detail;
	}

	List<JobSchema.BrokenRule> rules() {
		return this.rules;
	}

	List<String> pointers() {
		return this.rules.stream().map(JobSchema.BrokenRule::pointer).distinct().toList();
	}

}
