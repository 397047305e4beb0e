package jobs.kafkatomongo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import com.mongodb.client.MongoCursor;
import jakarta.servlet.http.HttpServletResponse;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.server.ResponseStatusException;

/**
 * Answers with documents, so many at a time that memory suffices.
 */
class JsonAnswers {

	static final int MAX_LIMIT = 100;

	/** Characters from which on a page ends, though it has fewer documents than asked. */
	private static final int MAX_PAGE = 256 * 1024;

	/** Of all answers that are being written. */
	private static final int MAX_BYTES = 16 * 1024 * 1024;

	private static final int MAX_WAIT_SECONDS = 2;

	private static final String TOO_MANY = "Too many answers at once";

	private final Semaphore answers = new Semaphore(32);

	/** Each of up to some megabytes, while it is made. */
	private final Semaphore documents = new Semaphore(4);

	/** Apart, since a query for one may take its time. */
	private final Semaphore pages = new Semaphore(2);

	private final Semaphore bytes = new Semaphore(MAX_BYTES);

	/**
	 * Answers with one document.
	 * @param response where it goes
	 * @param content makes it
	 */
	void writeOne(HttpServletResponse response, Consumer<PrintStream> content)
			throws IOException, InterruptedException {
		write(response, content, this.documents);
	}

	/**
	 * Answers with a page of a list.
	 * @param response where it goes
	 * @param content makes it
	 */
	void writePage(HttpServletResponse response, Consumer<PrintStream> content)
			throws IOException, InterruptedException {
		write(response, content, this.pages);
	}

	/**
	 * Makes an answer, and then writes it: what is read from MongoDB takes many times as
	 * much memory, and a client may be slow to read.
	 */
	private void write(HttpServletResponse response, Consumer<PrintStream> content, Semaphore making)
			throws IOException, InterruptedException {
		acquire(this.answers, TOO_MANY);
		try {
			byte[] body = make(content, making);
			try {
				response.setContentType(MediaType.APPLICATION_JSON_VALUE);
				response.setContentLength(body.length);
				response.getOutputStream().write(body);
			}
			finally {
				this.bytes.release(weight(body));
			}
		}
		finally {
			this.answers.release();
		}
	}

	/**
	 * Makes an answer that {@link #bytes} has a place for.
	 */
	private byte[] make(Consumer<PrintStream> content, Semaphore making) throws InterruptedException {
		acquire(making, TOO_MANY);
		try {
			ByteArrayOutputStream out = new ByteArrayOutputStream();
			try (PrintStream text = new PrintStream(out, false, StandardCharsets.UTF_8)) {
				content.accept(text);
			}
			byte[] body = out.toByteArray();
			acquire(this.bytes, weight(body), TOO_MANY);
			return body;
		}
		finally {
			making.release();
		}
	}

	private static int weight(byte[] body) {
		return Math.min(body.length, MAX_BYTES);
	}

	/**
	 * Writes a page of a list.
	 * @param out where it goes
	 * @param name the name of the list
	 * @param documents what is left of the list
	 * @param limit the most documents that the page has
	 * @param json makes JSON of a document
	 * @param next makes the address of the next page, of the last document of this
	 */
	static void page(PrintStream out, String name, MongoCursor<? extends BsonDocument> documents, int limit,
			Function<BsonDocument, String> json, Function<BsonDocument, String> next) {
		out.print("{\"" + name + "\":[");
		BsonDocument last = null;
		int size = 0;
		for (int count = 1; size < MAX_PAGE && documents.hasNext(); count++) {
			BsonDocument document = documents.next();
			String text = json.apply(document);
			out.print(((count > 1) ? ",\n" : "\n") + text);
			size += text.length();
			last = (count == limit || size >= MAX_PAGE) ? document : null;
		}
		out.print("]");
		if (last != null) {
			out.print(",\"next\":\"" + next.apply(last) + "\"");
		}
		out.println("}");
	}

	static void requireLimit(int limit) {
		if (limit < 1 || limit > MAX_LIMIT) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'limit' must be 1 to " + MAX_LIMIT);
		}
	}

	static Position position(@Nullable String after) {
		try {
			return (after != null) ? Position.parse(after) : Position.START;
		}
		catch (IllegalArgumentException ex) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'after' must be taken from 'next'", ex);
		}
	}

	static ResponseStatusException unavailable(String detail) {
		return new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, detail) {

			@Override
			public HttpHeaders getHeaders() {
				HttpHeaders headers = new HttpHeaders();
				headers.set("Retry-After", "1");
				return headers;
			}

		};
	}

	/**
	 * Waits for a place, for 2 s at most.
	 * @param bound the places
	 * @param otherwise what to say when none gets free
	 */
	static void acquire(Semaphore bound, String otherwise) throws InterruptedException {
		acquire(bound, 1, otherwise);
	}

	private static void acquire(Semaphore bound, int permits, String otherwise) throws InterruptedException {
		if (!bound.tryAcquire(permits, MAX_WAIT_SECONDS, TimeUnit.SECONDS)) {
			throw unavailable(otherwise);
		}
	}

}
