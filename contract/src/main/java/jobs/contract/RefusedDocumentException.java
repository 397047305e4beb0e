package jobs.contract;

import java.util.List;

/** Refuses bytes that are no document of a resource and never will be. */
public class RefusedDocumentException extends Exception {

	private final Fault fault;

	private final String detail;

	private final transient List<Violation> violations;

	/** Makes a refusal that names no field; the detail is a sentence. */
	public RefusedDocumentException(Fault fault, String detail) {
		this(fault, detail, List.of());
	}

	/** Makes a refusal of one field that keeps the contract. */
	public RefusedDocumentException(Violation violation) {
		this(Fault.CONTRACT, "A field that the pair needs can't be used", List.of(violation));
	}

	RefusedDocumentException(String noun, List<Violation> violations) {
		this(Fault.CONTRACT, "The %s breaks the rules of its contract".formatted(noun), violations);
	}

	private RefusedDocumentException(Fault fault, String detail, List<Violation> violations) {
		// a refusal is a normal answer, so it saves the cost of a stack trace
		super(detail, null, false, false);
		this.fault = fault;
		this.detail = detail;
		this.violations = violations;
	}

	public Fault fault() {
		return this.fault;
	}

	/** The fault, in a sentence. */
	public String detail() {
		return this.detail;
	}

	/** At most {@value Contract#MAX_VIOLATIONS} broken rules, if fields are at fault. */
	public List<Violation> violations() {
		return this.violations;
	}

	/** The kinds of faults. */
	public enum Fault {

		/** The bytes are not one JSON object in UTF-8. */
		NOT_JSON,

		/** The JSON breaks a rule or can't be kept unchanged. */
		CONTRACT

	}

}
