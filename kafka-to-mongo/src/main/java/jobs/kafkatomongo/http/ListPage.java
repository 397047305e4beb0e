package jobs.kafkatomongo.http;

import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.Filters;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Asks for a page of at most {@code limit} documents that follow the cursor; without one,
 * of the newest documents.
 */
public record ListPage(int limit, @Nullable Cursor cursor) {

	/** Documents that a page may have; beyond: 400. */
	private static final int PAGE_DOCUMENTS = 100;

	/** Characters of a page, after which it ends early. */
	private static final int PAGE_CHARACTERS = 256 * 1024;

	/**
	 * Reads the parameters {@code limit} and {@code after}; throws
	 * ResponseStatusException (400) where one of them is wrong.
	 */
	public static ListPage of(int limit, @Nullable String after) {
		if (limit < 1 || limit > PAGE_DOCUMENTS) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'limit' must be 1 to " + PAGE_DOCUMENTS);
		}
		try {
			return new ListPage(limit, (after != null) ? Cursor.parse(after) : null);
		}
		catch (IllegalArgumentException ex) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'after' must be taken from 'next'", ex);
		}
	}

	/**
	 * Selects the documents of this page and of those behind it; {@code field} is the
	 * path of their time. Documents of other programs, whose id is no string or whose
	 * time is no date, are left out.
	 */
	public Bson filter(String field) {
		// a type has no bound, which some readers of BSON would refuse
		return (this.cursor != null) ? this.cursor.after(field)
				: Filters.and(Filters.type(field, BsonType.DATE_TIME), Filters.gte("_id", ""));
	}

	/**
	 * Writes the page as JSON, with the address of the next page where this one is full.
	 * @param time the path of the time that the list is sorted by
	 * @param filters the parameters that the next page has, too; those without a value
	 * are left out
	 */
	public void write(PrintStream out, String name, MongoCursor<? extends BsonDocument> documents,
			Function<BsonDocument, String> json, String time, String path, Map<String, @Nullable String> filters) {
		out.print("{\"" + name + "\":[");
		BsonDocument last = null;
		int size = 0;
		for (int count = 1; size < PAGE_CHARACTERS && documents.hasNext(); count++) {
			BsonDocument document = documents.next();
			String text = json.apply(document);
			out.print(((count > 1) ? ",\n" : "\n") + text);
			size += text.length();
			last = (count == this.limit || size >= PAGE_CHARACTERS) ? document : null;
		}
		out.print("]");
		if (last != null) {
			out.print(",\"next\":\"" + next(Cursor.of(last, time), path, filters) + "\"");
		}
		out.println("}");
	}

	/** The address of the next page; {@code encode} also makes it safe inside JSON. */
	private String next(Cursor after, String path, Map<String, @Nullable String> filters) {
		UriComponentsBuilder next = UriComponentsBuilder.fromPath(path).queryParam("limit", this.limit);
		List<Object> values = new ArrayList<>();
		filters.forEach((name, value) -> {
			if (value != null) {
				next.queryParam(name, "{" + name + "}");
				values.add(value);
			}
		});
		values.add(after);
		return next.queryParam("after", "{after}").encode().buildAndExpand(values.toArray()).toString();
	}

	/**
	 * A place in a list from the newest to the oldest document: behind the document with
	 * this time and id.
	 */
	public record Cursor(Instant time, String id) {

		/**
		 * Characters of an id in a cursor, which stands in an address of 8 KB at most.
		 */
		private static final int CURSOR_ID_CHARACTERS = 512;

		/** Reads what {@link #toString()} writes, or throws IllegalArgumentException. */
		public static Cursor parse(String text) {
			int dot = text.indexOf('.');
			if (dot < 0) {
				throw new IllegalArgumentException("No cursor: '%s'".formatted(text));
			}
			return new Cursor(Instant.ofEpochMilli(Long.parseLong(text.substring(0, dot))), text.substring(dot + 1));
		}

		private Bson after(String field) {
			return Filters.and(Filters.lte(field, this.time), Filters.gte("_id", ""),
					Filters.or(Filters.lt(field, this.time), Filters.lt("_id", this.id)));
		}

		/**
		 * Makes the cursor behind a document; {@code field} is the path of its time. It
		 * cuts an id after {@link #CURSOR_ID_CHARACTERS} characters. Documents of the
		 * same millisecond whose ids begin alike can then be passed over.
		 */
		public static Cursor of(BsonDocument document, String field) {
			BsonDocument parent = document;
			String[] path = field.split("\\.");
			for (int i = 0; i < path.length - 1; i++) {
				parent = parent.getDocument(path[i]);
			}
			return new Cursor(Instant.ofEpochMilli(parent.getDateTime(path[path.length - 1]).getValue()),
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

}
