package jobs.kafkatomongo.query;

import java.time.Duration;
import java.time.Instant;

import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.kafkatomongo.deadletter.DeadLetterDocument;
import jobs.kafkatomongo.deadletter.DeadLetterDocument.State;
import jobs.kafkatomongo.operations.Backlog;
import org.bson.BsonDocument;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponseException;

/** Explains why a job is not stored: it waits, or it is a dead letter. */
@Component
class MissingJobs {

	/** A client is expected to ask for a job within this time after sending it. */
	private static final Duration RECENTLY = Duration.ofSeconds(10);

	private final DeadLetterCollection deadLetters;

	private final Backlog backlog;

	MissingJobs(DeadLetterCollection deadLetters, Backlog backlog) {
		this.deadLetters = deadLetters;
		this.backlog = backlog;
	}

	/**
	 * From when on a dead letter is final for a request that began at {@code asked}. A
	 * recent one is. An older one may be of an earlier job with the same id, and is final
	 * only while no waiting record can be another. A caller asks this before it looks for
	 * the job, which may be stored in between.
	 */
	Instant finalSince(Instant asked) {
		Backlog.Snapshot backlog = this.backlog.snapshot();
		boolean nothingWaits = backlog.at().isAfter(asked) && backlog.waiting() == 0;
		return nothingWaits ? Instant.EPOCH : asked.minus(RECENTLY);
	}

	/** Whether a job has a final dead letter, so that it is of no use to wait for it. */
	boolean isHopeless(String id, Instant finalSince) {
		BsonDocument deadLetter = this.deadLetters.newestOf(id);
		return deadLetter != null && !isReplayed(deadLetter) && isFinal(deadLetter, finalSince);
	}

	/**
	 * The answer for a job that is not stored: 410 for a final dead letter that nobody
	 * has replayed, 404 while the job may still come. It is {@link UnsettledException}
	 * where nobody knows yet whether a dead letter is final.
	 */
	ErrorResponseException explain(String id, Instant finalSince) {
		BsonDocument deadLetter = this.deadLetters.newestOf(id);
		if (deadLetter == null) {
			return new ErrorResponseException(HttpStatus.NOT_FOUND,
					missing("No job is stored with this id, or not yet"), null);
		}
		if (isReplayed(deadLetter)) {
			return new ErrorResponseException(HttpStatus.NOT_FOUND,
					naming(deadLetter, missing("This job was a dead letter, was replayed, and is not stored yet")),
					null);
		}
		if (!isFinal(deadLetter, finalSince)) {
			return new UnsettledException(naming(deadLetter, missing(
					"A job with this id is a dead letter; if it was sent again since, that one is not stored yet")));
		}
		return new ErrorResponseException(HttpStatus.GONE,
				naming(deadLetter, ProblemDetail.forStatusAndDetail(HttpStatus.GONE,
						"This job is not stored, but a dead letter: " + text(deadLetter, "detail"))),
				null);
	}

	private ProblemDetail missing(String detail) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, detail);
		Backlog.Snapshot backlog = this.backlog.snapshot();
		if (backlog.isRecent()) {
			problem.setProperty("waiting", backlog.waiting());
			if (backlog.oldest() != null) {
				problem.setProperty("waitingSince", backlog.oldest().toString());
			}
		}
		return problem;
	}

	private static ProblemDetail naming(BsonDocument deadLetter, ProblemDetail problem) {
		problem.setProperty("deadLetter", DeadLetterDocument.address(deadLetter));
		problem.setProperty("reason", text(deadLetter, "reason"));
		problem.setProperty("state", text(deadLetter, "state"));
		return problem;
	}

	private static boolean isReplayed(BsonDocument deadLetter) {
		return text(deadLetter, "state").equals(State.REPLAYED.text());
	}

	private static boolean isFinal(BsonDocument deadLetter, Instant finalSince) {
		return deadLetter.getDateTime(DeadLetterCollection.FIRST_SEEN).getValue() >= finalSince.toEpochMilli();
	}

	/** A text of a dead letter, which somebody may have edited by hand. */
	private static String text(BsonDocument deadLetter, String field) {
		return deadLetter.isString(field) ? deadLetter.getString(field).getValue() : "";
	}

	/** Says 404 for a job with a dead letter that may be of an earlier job. */
	static final class UnsettledException extends ErrorResponseException {

		UnsettledException(ProblemDetail problem) {
			super(HttpStatus.NOT_FOUND, problem, null);
		}

	}

}
