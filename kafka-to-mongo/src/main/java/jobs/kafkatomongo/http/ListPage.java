package jobs.kafkatomongo.http;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import com.mongodb.client.MongoCursor;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.UriComponentsBuilder;

/** Asks for a page of at most {@code limit} documents that follow the cursor. */
public record ListPage(int limit, PageCursor cursor) {

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
			return new ListPage(limit, (after != null) ? PageCursor.parse(after) : PageCursor.START);
		}
		catch (IllegalArgumentException ex) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'after' must be taken from 'next'", ex);
		}
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
			out.print(",\"next\":\"" + next(PageCursor.of(last, time), path, filters) + "\"");
		}
		out.println("}");
	}

	/** The address of the next page; {@code encode} also makes it safe inside JSON. */
	private String next(PageCursor after, String path, Map<String, @Nullable String> filters) {
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

}
