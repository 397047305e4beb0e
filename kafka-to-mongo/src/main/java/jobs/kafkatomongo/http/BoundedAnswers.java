package jobs.kafkatomongo.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;

/**
 * Answers with documents, as many at once as memory allows. Its methods throw
 * NoPlaceException (503) beyond that, IOException when the client is gone, and
 * InterruptedException when this service stops.
 */
@Component
public class BoundedAnswers {

	/** Answers being written, as slowly as clients read. */
	private static final int ANSWERS = 32;

	/** Bytes of all answers being written. */
	private static final int ANSWER_BYTES = 16 * 1024 * 1024;

	/** Single documents being read, of up to some megabytes each. */
	private static final int DOCUMENTS = 4;

	/** Pages of lists being read, since such a query may take its time. */
	private static final int PAGES = 2;

	private static final String TOO_MANY = "Too many answers at once";

	private final Bulkhead answers = new Bulkhead(ANSWERS, TOO_MANY);

	private final Bulkhead documents = new Bulkhead(DOCUMENTS, TOO_MANY);

	private final Bulkhead pages = new Bulkhead(PAGES, TOO_MANY);

	private final Bulkhead bytes = new Bulkhead(ANSWER_BYTES, TOO_MANY);

	/** Answers with one document. */
	public void writeOne(HttpServletResponse response, Consumer<PrintStream> content)
			throws IOException, InterruptedException {
		write(response, content, this.documents);
	}

	/** Answers with a page of a list. */
	public void writePage(HttpServletResponse response, Consumer<PrintStream> content)
			throws IOException, InterruptedException {
		write(response, content, this.pages);
	}

	/**
	 * Makes the whole answer before writing it, since reading from MongoDB takes many
	 * times the answer's memory and a client may be slow.
	 */
	private void write(HttpServletResponse response, Consumer<PrintStream> content, Bulkhead making)
			throws IOException, InterruptedException {
		try (Bulkhead.Taken _ = this.answers.take()) {
			byte[] body;
			Bulkhead.Taken room;
			try (Bulkhead.Taken _ = making.take()) {
				body = make(content);
				room = this.bytes.take(Math.min(body.length, ANSWER_BYTES));
			}
			try (room) {
				response.setContentType(MediaType.APPLICATION_JSON_VALUE);
				response.setContentLength(body.length);
				response.getOutputStream().write(body);
			}
		}
	}

	private static byte[] make(Consumer<PrintStream> content) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		try (PrintStream text = new PrintStream(out, false, StandardCharsets.UTF_8)) {
			content.accept(text);
		}
		return out.toByteArray();
	}

}
