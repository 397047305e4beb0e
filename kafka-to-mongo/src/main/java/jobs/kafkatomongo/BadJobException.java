package jobs.kafkatomongo;

import java.util.List;

/**
 * A record that is no job and never will be.
 */
class BadJobException extends Exception {

	private final DeadLetter.Reason reason;

	private final String detail;

	private final transient List<String> pointers;

	BadJobException(DeadLetter.Reason reason, String detail) {
		this(reason, detail, List.of());
	}

	/**
	 * A record that breaks rules of some fields.
	 * @param reason why it is no job, in a word
	 * @param detail why, in a sentence
	 * @param pointers the JSON Pointers of the fields
	 */
	BadJobException(DeadLetter.Reason reason, String detail, List<String> pointers) {
		super(detail, null, false, false);
		this.reason = reason;
		this.detail = detail;
		this.pointers = pointers;
	}

	DeadLetter.Reason reason() {
		return this.reason;
	}

	String detail() {
		return this.detail;
	}

	List<String> pointers() {
		return this.pointers;
	}

}
