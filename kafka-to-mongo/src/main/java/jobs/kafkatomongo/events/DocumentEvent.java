package jobs.kafkatomongo.events;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What happened to a stored document, as clients get it.
 *
 * @param id of the document
 * @param version the version that is stored now, where it has one
 * @param outcome what happened
 */
@JsonInclude(Include.NON_NULL)
record DocumentEvent(String id, @Nullable Long version, Outcome outcome) {

	/** What happened to a document. */
	enum Outcome {

		/** It is stored, or this version of it. */
		STORED("stored"),

		/** A record has deleted it. */
		DELETED("deleted"),

		/** Somebody has erased it. */
		ERASED("erased"),

		/** Another program has changed it in MongoDB. */
		CHANGED("changed"),

		/** MongoDB has it no more: it has expired, or another program has removed it. */
		REMOVED("removed");

		private final String text;

		Outcome(String text) {
			this.text = text;
		}

		@JsonValue
		String text() {
			return this.text;
		}

	}

}
