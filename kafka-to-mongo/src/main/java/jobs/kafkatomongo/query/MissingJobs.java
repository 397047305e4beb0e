package jobs.kafkatomongo.query;

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

	private final DeadLetterCollection deadLetters;

	private final Backlog backlog;

	MissingJobs(DeadLetterCollection deadLetters, Backlog backlog) {
		this.deadLetters = deadLetters;
		this.backlog = backlog;
	}

	/**
	 * The answer for a job that is not stored: 404 while it may still come, 410 for a
	 * dead letter that nobody has replayed.
	 */
	ErrorResponseException explain(String id) {
		BsonDocument deadLetter = this.deadLetters.newestOf(id);
		ProblemDetail problem = (deadLetter != null) ? ended(deadLetter)
				: ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, "No job is stored with this id, or not yet");
		Backlog.Snapshot backlog = this.backlog.snapshot();
		if (problem.getStatus() == HttpStatus.NOT_FOUND.value() && backlog.isRecent()) {
			problem.setProperty("waiting", backlog.waiting());
			if (backlog.oldest() != null) {
				problem.setProperty("waitingSince", backlog.oldest().toString());
			}
		}
		return new ErrorResponseException(HttpStatus.valueOf(problem.getStatus()), problem, null);
	}

	private static ProblemDetail ended(BsonDocument deadLetter) {
		String state = text(deadLetter, "state");
		ProblemDetail problem = state.equals(State.REPLAYED.text())
				? ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND,
						"This job was a dead letter, was replayed, and is not stored yet")
				: ProblemDetail.forStatusAndDetail(HttpStatus.GONE,
						"This job is not stored, but a dead letter: " + text(deadLetter, "detail"));
		problem.setProperty("deadLetter", DeadLetterDocument.address(deadLetter));
		problem.setProperty("reason", text(deadLetter, "reason"));
		problem.setProperty("state", state);
		return problem;
	}

	/** A text of a dead letter, which somebody may have edited by hand. */
	private static String text(BsonDocument deadLetter, String field) {
		return deadLetter.isString(field) ? deadLetter.getString(field).getValue() : "";
	}

}
