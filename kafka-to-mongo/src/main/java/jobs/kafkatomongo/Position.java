package jobs.kafkatomongo;

import java.time.Instant;

import com.mongodb.client.model.Filters;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;

/**
 * A place in a list that goes from the newest document to the oldest, between two of
 * them.
 *
 * @param time the time of the document before it
 * @param id the id of the document before it
 */
record Position(Instant time, String id) {

	/** Characters: it goes into an address, of which the head of a request has 4 KB. */
	private static final int MAX_ID = 300;

	static final Position START = new Position(Instant.parse("9999-12-31T23:59:59.999Z"), "");

	/**
	 * Reads a position as {@link #toString()} writes it.
	 * @throws IllegalArgumentException when it is none
	 */
	static Position parse(String text) {
		int dot = text.indexOf('.');
		if (dot < 0) {
			throw new IllegalArgumentException("No position: '%s'".formatted(text));
		}
		Instant time = Instant.ofEpochMilli(Long.parseLong(text.substring(0, dot)));
		if (time.isBefore(Instant.EPOCH) || time.isAfter(START.time())) {
			throw new IllegalArgumentException("No time of a record: '%s'".formatted(text));
		}
		return new Position(time, text.substring(dot + 1));
	}

	/**
	 * What comes after it, and no document whose id is no string.
	 * @param field the field with the time
	 * @return the filter
	 */
	Bson after(String field) {
		return Filters.and(Filters.lte(field, this.time), Filters.gte("_id", ""),
				Filters.or(Filters.lt(field, this.time), Filters.lt("_id", this.id)));
	}

	/**
	 * Makes the position after a document. Of a longer id, which only other producers
	 * have, it has the beginning: then documents of the same millisecond can be passed
	 * over whose ids begin so, too.
	 */
	static Position of(BsonDocument document, String field) {
		BsonDocument parent = document;
		String[] path = field.split("\\.");
		for (int i = 0; i < path.length - 1; i++) {
			parent = parent.getDocument(path[i]);
		}
		return new Position(Instant.ofEpochMilli(parent.getDateTime(path[path.length - 1]).getValue()),
				beginning(document.getString("_id").getValue()));
	}

	private static String beginning(String id) {
		int end = Math.min(id.length(), MAX_ID);
		return id.substring(0, (end > 0 && Character.isHighSurrogate(id.charAt(end - 1))) ? end - 1 : end);
	}

	@Override
	public String toString() {
		return this.time.toEpochMilli() + "." + this.id;
	}

}
