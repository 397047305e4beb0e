package jobs.kafkatomongo.mongo;

import java.time.Instant;

import com.mongodb.client.model.Filters;
import jobs.kafkatomongo.limits.Limits;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;

/**
 * A page cursor: a place between two documents of a list that goes from the newest to the
 * oldest.
 *
 * @param time the time of the document before it
 * @param id the id of the document before it
 */
public record PageCursor(Instant time, String id) {

	/** Before the newest document. */
	public static final PageCursor START = new PageCursor(Instant.parse("9999-12-31T23:59:59.999Z"), "");

	/**
	 * Reads a cursor as {@link #toString()} writes it.
	 * @param text the text
	 * @return the cursor
	 * @throws IllegalArgumentException when the text is no cursor
	 */
	public static PageCursor parse(String text) {
		int dot = text.indexOf('.');
		if (dot < 0) {
			throw new IllegalArgumentException("No cursor: '%s'".formatted(text));
		}
		Instant time = Instant.ofEpochMilli(Long.parseLong(text.substring(0, dot)));
		if (time.isBefore(Instant.EPOCH) || time.isAfter(START.time())) {
			throw new IllegalArgumentException("No time of a record: '%s'".formatted(text));
		}
		return new PageCursor(time, text.substring(dot + 1));
	}

	/**
	 * Selects what comes after this place. Documents whose id is no string are not ours
	 * and are left out.
	 * @param field the field with the time
	 * @return the filter
	 */
	public Bson after(String field) {
		return Filters.and(Filters.lte(field, this.time), Filters.gte("_id", ""),
				Filters.or(Filters.lt(field, this.time), Filters.lt("_id", this.id)));
	}

	/**
	 * Makes the cursor after a document. Of an id longer than 300 characters, which only
	 * other producers make, it has the beginning: documents of the same millisecond whose
	 * ids begin alike can then be passed over.
	 * @param document the document
	 * @param field the field with the time, as a path
	 * @return the cursor
	 */
	public static PageCursor of(BsonDocument document, String field) {
		BsonDocument parent = document;
		String[] path = field.split("\\.");
		for (int i = 0; i < path.length - 1; i++) {
			parent = parent.getDocument(path[i]);
		}
		return new PageCursor(Instant.ofEpochMilli(parent.getDateTime(path[path.length - 1]).getValue()),
				beginning(document.getString("_id").getValue()));
	}

	private static String beginning(String id) {
		int end = Math.min(id.length(), Limits.CURSOR_ID.count());
		return id.substring(0, (end > 0 && Character.isHighSurrogate(id.charAt(end - 1))) ? end - 1 : end);
	}

	@Override
	public String toString() {
		return this.time.toEpochMilli() + "." + this.id;
	}

}
