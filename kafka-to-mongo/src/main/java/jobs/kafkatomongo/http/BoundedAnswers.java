package jobs.kafkatomongo.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

import jakarta.servlet.http.HttpServletResponse;
import jobs.kafkatomongo.limits.Limits;

import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;

/**
 * Answers with documents, as many at once as memory allows. Its methods throw
 * NoPlaceException (503) beyond that, IOException when the client is gone, and
 * InterruptedException when this service stops.
 */
@Component
public class BoundedAnswers {

	private static final String TOO_MANY = "Too many answers at once";

	private final Places answers = new Places(Limits.ANSWERS, TOO_MANY);

	private final Places documents = new Places(Limits.DOCUMENTS, TOO_MANY);

	private final Places pages = new Places(Limits.PAGES, TOO_MANY);

	private final Places bytes = new Places(Limits.ANSWER_BYTES, TOO_MANY);

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
	private void write(HttpServletResponse response, Consumer<PrintStream> content, Places making)
			throws IOException, InterruptedException {
		try (Places.Taken _ = this.answers.take()) {
			byte[] body;
			Places.Taken room;
			try (Places.Taken _ = making.take()) {
				body = make(content);
				room = this.bytes.take(Math.min(body.length, Limits.ANSWER_BYTES));
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
