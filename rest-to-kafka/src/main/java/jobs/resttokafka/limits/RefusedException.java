package jobs.resttokafka.limits;

import java.util.List;

import jobs.contract.NotAJobException;
import jobs.contract.Violation;

/**
 * A request, or a line of an upload, that is not accepted. What it is in HTTP is decided
 * by {@code http.StatusCodes}.
 */
public class RefusedException extends RuntimeException {

	private final Reason reason;

	private final String detail;

	private final transient List<Violation> violations;

	/**
	 * Refuses.
	 * @param reason why, in a word
	 * @param detail why, in a sentence for the client
	 */
	public RefusedException(Reason reason, String detail) {
		this(reason, detail, List.of());
	}

	/**
	 * Refuses bytes that are no job.
	 * @param failure what is wrong with them
	 */
	public RefusedException(NotAJobException failure) {
		this(Reason.MALFORMED, failure.detail(), failure.violations());
	}

	private RefusedException(Reason reason, String detail, List<Violation> violations) {
		// without a stack trace: a refusal is an answer, and there may be many
		super(detail, null, false, false);
		this.reason = reason;
		this.detail = detail;
		this.violations = violations;
	}

	public Reason reason() {
		return this.reason;
	}

	public String detail() {
		return this.detail;
	}

	public List<Violation> violations() {
		return this.violations;
	}

	/**
	 * Why something is refused.
	 */
	public enum Reason {

		/** No job, or a malformed header. */
		MALFORMED,

		/** Another method than POST. */
		WRONG_METHOD,

		/** An answer is wanted in a type that there is none of. */
		NOT_ACCEPTABLE,

		/** The body did not arrive in time. */
		TOO_SLOW,

		/** The job is larger than this service or the topic takes. */
		TOO_LARGE,

		/** Another media type or charset. */
		WRONG_TYPE,

		/** A {@code Content-Encoding}. */
		ENCODED,

		/** More is in hand than fits: requests, uploads, or bytes in memory. */
		NO_ROOM,

		/** Kafka did not acknowledge in time; the job may still arrive. */
		NOT_ACKNOWLEDGED,

		/** The rest of an upload is not read, since this service or Kafka has gone. */
		STOPPED;

		/**
		 * Whether the same request may succeed later.
		 */
		public boolean isTemporary() {
			return this == NO_ROOM || this == NOT_ACKNOWLEDGED || this == STOPPED;
		}

	}

}
