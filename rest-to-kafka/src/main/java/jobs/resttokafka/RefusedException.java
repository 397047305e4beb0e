package jobs.resttokafka;

import java.util.List;

import jobs.contract.RefusedDocumentException;
import jobs.contract.Violation;
import jobs.contract.resources.Resource;

/** Refuses a request or an upload's line; {@code http.StatusCodes} gives it a status. */
public class RefusedException extends RuntimeException {

	private final Reason reason;

	private final String detail;

	private final transient List<Violation> violations;

	/** Makes a refusal; the detail is a sentence for the client. */
	public RefusedException(Reason reason, String detail) {
		this(reason, detail, List.of());
	}

	/** Refuses bytes that are no document. */
	public RefusedException(RefusedDocumentException failure) {
		this(Reason.MALFORMED, failure.detail(), failure.violations());
	}

	private RefusedException(Reason reason, String detail, List<Violation> violations) {
		// a refusal is a normal answer, so it saves the cost of a stack trace
		super(detail, null, false, false);
		this.reason = reason;
		this.detail = detail;
		this.violations = violations;
	}

	/** Refuses a document that is larger than its resource takes. */
	public static RefusedException tooLarge(Resource resource) {
		return new RefusedException(Reason.TOO_LARGE,
				"A %s may have %d bytes".formatted(resource.noun(), resource.maxSize()));
	}

	/** Ends an upload at a line that is too large, and whose end does not come. */
	public static RefusedException endless(RefusedException tooLarge) {
		return new RefusedException(Reason.ENDLESS, tooLarge.detail() + ", and this line goes on");
	}

	/** Ends an upload. */
	public static RefusedException stopped(String detail) {
		return new RefusedException(Reason.STOPPED, detail);
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

	/** Why something is refused. */
	public enum Reason {

		/** The bytes are no document, or a header is malformed. */
		MALFORMED,

		/** The body ends before its announced length, or has a broken chunk. */
		BROKEN_OFF,

		/** The method is none of those of the path. */
		WRONG_METHOD,

		/** The client does not accept the type of the answer. */
		NOT_ACCEPTABLE,

		/** The body did not arrive in time. */
		TOO_SLOW,

		/** The document has another id than the Idempotency-Key says. */
		OTHER_KEY,

		/** It is not said which version of a document is deleted. */
		NO_VERSION,

		/** The document is larger than this service or the topic takes. */
		TOO_LARGE,

		/**
		 * A line of an upload is too large, and has not ended in the time of a document.
		 */
		ENDLESS,

		/** The body has another media type or charset. */
		WRONG_TYPE,

		/** The body has a {@code Content-Encoding}. */
		ENCODED,

		/** The client has sent more than its key or token allows. */
		TOO_MANY,

		/** The key or token of an upload that is open is no longer enough. */
		NO_LONGER_ALLOWED,

		/** There are too many uploads, or too many bytes in memory. */
		NO_ROOM,

		/**
		 * Kafka did not acknowledge the document in time; the document may still arrive.
		 */
		NOT_ACKNOWLEDGED,

		/** The rest of an upload stays unread: this service stops or Kafka is away. */
		STOPPED;

		/** Whether the same request may succeed later. */
		public boolean isTemporary() {
			return this == TOO_MANY || this == NO_ROOM || this == NOT_ACKNOWLEDGED || this == STOPPED;
		}

		/** Whether it ends an upload: the lines behind stay unread. */
		public boolean endsUpload() {
			return this == BROKEN_OFF || this == TOO_SLOW || this == ENDLESS || this == NO_LONGER_ALLOWED
					|| this == STOPPED;
		}

	}

}
