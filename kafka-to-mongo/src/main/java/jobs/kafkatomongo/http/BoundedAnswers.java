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
 * Answers with documents, so many at a time that memory suffices.
 */
@Component
public class BoundedAnswers {

	private static final String TOO_MANY = "Too many answers at once";

	private final Places answers = new Places(Limits.ANSWERS.count(), TOO_MANY);

	private final Places documents = new Places(Limits.DOCUMENTS.count(), TOO_MANY);

	private final Places pages = new Places(Limits.PAGES.count(), TOO_MANY);

	private final Places bytes = new Places(Limits.ANSWER_BYTES.count(), TOO_MANY);

	/**
	 * Answers with one document.
	 * @param response where it goes
	 * @param content makes it
	 * @throws IOException when the client is gone
	 * @throws InterruptedException when this service stops
	 */
	public void writeOne(HttpServletResponse response, Consumer<PrintStream> content)
			throws IOException, InterruptedException {
		write(response, content, this.documents);
	}

	/**
	 * Answers with a page of a list.
	 * @param response where it goes
	 * @param content makes it
	 * @throws IOException when the client is gone
	 * @throws InterruptedException when this service stops
	 */
	public void writePage(HttpServletResponse response, Consumer<PrintStream> content)
			throws IOException, InterruptedException {
		write(response, content, this.pages);
	}

	/**
	 * Makes an answer, and then writes it. What is read from MongoDB takes many times the
	 * memory of the answer, and a client may be slow to read.
	 */
	private void write(HttpServletResponse response, Consumer<PrintStream> content, Places making)
			throws IOException, InterruptedException {
		try (Places.Taken _ = this.answers.take()) {
			byte[] body;
			Places.Taken room;
			try (Places.Taken _ = making.take()) {
				body = make(content);
				room = this.bytes.take(Math.min(body.length, Limits.ANSWER_BYTES.count()));
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
