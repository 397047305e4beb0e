package jobs.kafkatomongo.query;

import jobs.contract.resources.Resource;
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

/** Explains why a document is not stored: it waits, or it is a dead letter. */
@Component
class MissingDocuments {

	private final Resource resource;

	private final DeadLetterCollection deadLetters;

	private final ConsumerLag lag;

	MissingDocuments(Resource resource, DeadLetterCollection deadLetters, ConsumerLag lag) {
		this.resource = resource;
		this.deadLetters = deadLetters;
		this.lag = lag;
	}

	/**
	 * Whether a wait for a document is in vain: it is a dead letter that nobody has
	 * replayed, and nothing has waited since the request, so no other record has its id.
	 * @param asked when the request came, by {@link System#nanoTime()}
	 */
	boolean isHopeless(String id, long asked) throws InterruptedException {
		BsonDocument deadLetter = this.deadLetters.newestOf(id);
		if (deadLetter == null || isReplayed(deadLetter)) {
			return false;
		}
		ConsumerLag.Snapshot lag = this.lag.snapshotSince(asked);
		return lag.isAfter(asked) && lag.waiting() == 0;
	}

	/**
	 * The answer for a document, or a version of one, that is not stored: 404, since it
	 * may still come. Where the document is a dead letter, the answer has its address and
	 * state.
	 */
	ErrorResponseException explain(String id, @Nullable Long version) {
		String what = (version != null) ? "Version %d of this %s".formatted(version, this.resource.noun())
				: "This " + this.resource.noun();
		BsonDocument deadLetter = this.deadLetters.newestOf(id);
		ProblemDetail problem;
		if (deadLetter == null) {
			problem = missing((version != null) ? "%s is not stored, or not yet".formatted(what)
					: "No %s is stored with this id, or not yet".formatted(this.resource.noun()));
		}
		else if (version != null) {
			problem = naming(deadLetter,
					missing("%s is not stored, or not yet; a dead letter has this id, which may be another version: %s"
						.formatted(what, text(deadLetter, "detail"))));
		}
		else if (isReplayed(deadLetter)) {
			problem = naming(deadLetter,
					missing("%s was a dead letter, was replayed, and is not stored yet".formatted(what)));
		}
		else {
			problem = naming(deadLetter, missing(
					"%s is not stored, but a dead letter: %s; if it was sent again since, that one is not stored yet"
						.formatted(what, text(deadLetter, "detail"))));
		}
		return new ErrorResponseException(HttpStatus.NOT_FOUND, problem, null);
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

	private ProblemDetail naming(BsonDocument deadLetter, ProblemDetail problem) {
		problem.setProperty("deadLetter", new KeptRecord(deadLetter).path(this.resource));
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

}
