package jobs.kafkatomongo.http;

import java.time.Instant;

import jakarta.servlet.http.HttpServletRequest;
import jobs.chassis.operations.OneLine;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * An action of somebody on dead letters or documents, for their history and for the log.
 *
 * @param what is done
 * @param by who does it; {@code null} while security is off
 * @param address from where, as the connection has it
 * @param note why, in the words of whoever does it
 */
public record OperatorAction(What what, @Nullable String by, String address, @Nullable String note) {

	/** Characters of a note in the history of a dead letter; beyond: 400. */
	private static final int NOTE_CHARACTERS = 200;

	/** Characters of a name in the history of a dead letter; the rest is cut off. */
	private static final int NAME_CHARACTERS = 255;

	/** The parameter with the note. */
	public static final String NOTE = "note";

	private static final Logger logger = LoggerFactory.getLogger(OperatorAction.class);

	/**
	 * As {@link #of(What, HttpServletRequest, String)}, with the note among other
	 * parameters, of which there may be one.
	 */
	public static OperatorAction of(What what, HttpServletRequest request) {
		String[] notes = request.getParameterValues(NOTE);
		if (notes != null && notes.length > 1) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "There may be one 'note'");
		}
		return of(what, request, (notes != null) ? notes[0] : null);
	}

	/**
	 * Takes who and from where out of a request. Throws ResponseStatusException (400) for
	 * a note that is too long, or has control characters.
	 */
	public static OperatorAction of(What what, HttpServletRequest request, @Nullable String note) {
		if (note != null && (note.length() > NOTE_CHARACTERS || note.chars().anyMatch(Character::isISOControl))) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"'note' may have %d characters, none of them a control character".formatted(NOTE_CHARACTERS));
		}
		String by = request.getRemoteUser();
		return new OperatorAction(what, (by != null) ? by.substring(0, Math.min(by.length(), NAME_CHARACTERS)) : null,
				request.getRemoteAddr(), (note == null || note.isBlank()) ? null : note);
	}

	/** The entry in the history of a dead letter, as of now. */
	public BsonDocument entry() {
		BsonDocument entry = new BsonDocument("at", new BsonDateTime(Instant.now().toEpochMilli())).append("action",
				new BsonString(this.what.text));
		if (this.by != null) {
			entry.append("by", new BsonString(this.by));
		}
		entry.append("address", new BsonString(this.address));
		if (this.note != null) {
			entry.append(NOTE, new BsonString(this.note));
		}
		return entry;
	}

	/**
	 * Logs that this is about to be done, in the fields of Elastic's Common Schema: so
	 * the log has it, whatever breaks meanwhile.
	 * @param which the id of a dead letter or document, or what selects many
	 * @param labels the resource, as name and value, or none
	 */
	public void log(String which, String... labels) {
		LoggingEventBuilder line = logger.atInfo()
			.addKeyValue("event.action", this.what.event())
			.addKeyValue("source.ip", this.address)
			.addKeyValue(this.what.isOfJobs() ? "jobs" : "deadLetters", oneLine(which));
		if (labels.length > 0) {
			line.addKeyValue(labels[0], labels[1]);
		}
		if (this.by != null) {
			line.addKeyValue("user.name", oneLine(this.by));
		}
		if (this.note != null) {
			line.addKeyValue("event.reason", oneLine(this.note));
		}
		line.log("{} are going to be {}", this.what.isOfJobs() ? "Documents" : "Dead letters", this.what.text);
	}

	/** Keeps whoever chooses a text from forging a line or a field of the log. */
	private static String oneLine(String text) {
		return OneLine.of(text).replace('"', '?');
	}

	/** The actions that there are. */
	public enum What {

		/** Published again as it was. */
		REPLAYED("replayed"),

		/** Published again with another body. */
		CORRECTED("corrected"),

		/** Found to be of no use. */
		DISCARDED("discarded"),

		/** Erased with all that is known of them. */
		ERASED("erased");

		private final String text;

		What(String text) {
			this.text = text;
		}

		private boolean isOfJobs() {
			return this == ERASED;
		}

		private String event() {
			return (isOfJobs() ? "job-" : "dead-letter-") + this.text;
		}

	}

}
