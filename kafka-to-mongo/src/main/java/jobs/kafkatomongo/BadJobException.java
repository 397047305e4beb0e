package jobs.kafkatomongo;

/**
 * A record that is no job and never will be.
 */
class BadJobException extends Exception {

	private final DeadLetter.Reason reason;

	private final String detail;

	BadJobException(DeadLetter.Reason reason, String detail) {
		super(detail, null, false, false);
		this.reason = reason;
		this.detail = detail;
	}

	DeadLetter.Reason reason() {
		return this.reason;
	}

	String detail() {
		return this.detail;
	}

}
