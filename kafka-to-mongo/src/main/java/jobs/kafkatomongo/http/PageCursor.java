package jobs.kafkatomongo.http;

import java.time.Instant;

import com.mongodb.client.model.Filters;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;

/**
 * A place in a list from the newest to the oldest document: behind the document with this
 * time and id.
 */
public record PageCursor(Instant time, String id) {

	/** Characters of an id in a cursor, which stands in an address of 4 KB. */
	private static final int CURSOR_ID_CHARACTERS = 300;

	/** The place before the newest document. */
	public static final PageCursor START = new PageCursor(Instant.parse("9999-12-31T23:59:59.999Z"), "");

	/** Reads what {@link #toString()} writes, or throws IllegalArgumentException. */
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
	 * Selects the documents behind this place; {@code field} is the path of their time.
	 * Documents of other programs, whose id is no string, are left out.
	 */
	public Bson after(String field) {
		return Filters.and(Filters.lte(field, this.time), Filters.gte("_id", ""),
				Filters.or(Filters.lt(field, this.time), Filters.lt("_id", this.id)));
	}

	/**
	 * Makes the cursor behind a document; {@code field} is the path of its time. It cuts
	 * an id after {@link #CURSOR_ID_CHARACTERS} characters, which only other producers
	 * exceed. Documents of the same millisecond whose ids begin alike can then be passed
	 * over.
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
		int end = Math.min(id.length(), CURSOR_ID_CHARACTERS);
		return id.substring(0, (end > 0 && Character.isHighSurrogate(id.charAt(end - 1))) ? end - 1 : end);
	}

	@Override
	public String toString() {
		return this.time.toEpochMilli() + "." + this.id;
	}

}
