package jobs.contract;

import java.util.List;

/**
 * Bytes that are no job and never will be.
 */
public class NotAJobException extends Exception {

	private final Fault fault;

	private final String detail;

	private final transient List<Violation> violations;

	/**
	 * Makes a refusal that no field is to blame for.
	 * @param fault what kind of fault it is
	 * @param detail what is wrong, in a sentence
	 */
	public NotAJobException(Fault fault, String detail) {
		this(fault, detail, List.of());
	}

	NotAJobException(List<Violation> violations) {
		this(Fault.CONTRACT, "The job breaks the rules of its contract", violations);
	}

	private NotAJobException(Fault fault, String detail, List<Violation> violations) {
		// without a stack trace: a refusal is an answer, and there may be many
		super(detail, null, false, false);
		this.fault = fault;
		this.detail = detail;
		this.violations = violations;
	}

	public Fault fault() {
		return this.fault;
	}

	/**
	 * What is wrong, in a sentence.
	 */
	public String detail() {
		return this.detail;
	}

	/**
	 * The broken rules, at most {@value Contract#MAX_VIOLATIONS}; empty where no field is
	 * to blame.
	 */
	public List<Violation> violations() {
		return this.violations;
	}

	/**
	 * The kinds of fault.
	 */
	public enum Fault {

		/** Not one JSON object in UTF-8. */
		NOT_JSON,

		/** JSON that breaks a rule, or that can't be kept unchanged. */
		CONTRACT

	}

}
