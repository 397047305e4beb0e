package jobs.kafkatomongo.query;

import java.time.Instant;

import jobs.kafkatomongo.deadletter.DeadLetter.State;
import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.kafkatomongo.deadletter.KeptRecord;
import jobs.kafkatomongo.lag.ConsumerLag;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponseException;

/** Explains why a job is not stored: it waits, or it is a dead letter. */
@Component
class MissingJobs {

	private final DeadLetterCollection deadLetters;

	private final ConsumerLag lag;

	MissingJobs(DeadLetterCollection deadLetters, ConsumerLag lag) {
		this.deadLetters = deadLetters;
		this.lag = lag;
	}

	/** Begins to tell, for a request that begins now, what records before it became. */
	Settlement settlement() {
		return new Settlement(this.lag);
	}

	/**
	 * Whether a job is a dead letter, and no waiting record can be another with its id.
	 */
	boolean isHopeless(String id, Settlement before) throws InterruptedException {
		BsonDocument deadLetter = this.deadLetters.newestOf(id);
		return deadLetter != null && !isReplayed(deadLetter) && before.settle();
	}

	/**
	 * The answer for a job that is not stored: 410 for a dead letter that nobody has
	 * replayed, 404 while the job may still come. It is {@link UnsettledException} for a
	 * dead letter while a waiting record may have the same id. A caller asks whether all
	 * is {@code settled} before it looks for the job, which may be stored in between.
	 */
	ErrorResponseException explain(String id, boolean settled) {
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
		if (!settled) {
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
		ConsumerLag.Snapshot lag = this.lag.snapshot();
		if (lag.isRecent()) {
			problem.setProperty("waiting", lag.waiting());
			if (lag.oldest() != null) {
				problem.setProperty("waitingSince", lag.oldest().toString());
			}
		}
		return problem;
	}

	private static ProblemDetail naming(BsonDocument deadLetter, ProblemDetail problem) {
		problem.setProperty("deadLetter", new KeptRecord(deadLetter).path());
		problem.setProperty("reason", text(deadLetter, "reason"));
		problem.setProperty("state", text(deadLetter, "state"));
		return problem;
	}

	private static boolean isReplayed(BsonDocument deadLetter) {
		return text(deadLetter, "state").equals(State.REPLAYED.text());
	}

	/** A text of a dead letter, which somebody may have edited by hand. */
	private static String text(BsonDocument deadLetter, String field) {
		return deadLetter.isString(field) ? deadLetter.getString(field).getValue() : "";
	}

	/** Says 404 for a job whose dead letter may be of an earlier one with its id. */
	static final class UnsettledException extends ErrorResponseException {

		UnsettledException(ProblemDetail problem) {
			super(HttpStatus.NOT_FOUND, problem, null);
		}

	}

	/**
	 * Whether each record that was published before a request is settled by now: stored,
	 * or a dead letter.
	 */
	static class Settlement {

		private final ConsumerLag lag;

		private final Instant asked = Instant.now();

		/** The first measurement after the request began. */
		private ConsumerLag.@Nullable Snapshot first;

		private boolean settled;

		Settlement(ConsumerLag lag) {
			this.lag = lag;
		}

		/** Whether the last look has found all settled. */
		boolean isSettled() {
			return this.settled;
		}

		/** Looks whether all is settled, for which two measurements are enough. */
		boolean settle() throws InterruptedException {
			if (this.settled) {
				return true;
			}
			ConsumerLag.Snapshot now = this.lag.snapshotSince((this.first != null) ? this.first.at() : this.asked);
			if (now.at().isAfter(this.asked)) {
				this.first = (this.first != null) ? this.first : now;
				this.settled = now.hasAllOf(this.first);
			}
			return this.settled;
		}

	}

}
