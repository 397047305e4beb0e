package jobs.kafkatomongo.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.http.MediaType;

/**
 * Answers with documents, as many at once as memory allows, and no more of them to one
 * client than leaves room for others. Its methods throw NoPlaceException (503) beyond
 * that, IOException when the client is gone, and InterruptedException when this service
 * stops.
 */
public class BoundedAnswers {

	private static final String TOO_MANY = "Too many answers at once";

	private final Bulkhead answers;

	private final Making making;

	private final Bulkhead bytes;

	private final int mostBytes;

	/**
	 * Bounds answers and all their bytes, as slowly as clients read them, beside what
	 * answers of all kinds share while they are made.
	 */
	BoundedAnswers(int answers, int bytes, Making making) {
		this.making = making;
		this.answers = new Bulkhead(answers, TOO_MANY);
		this.bytes = new Bulkhead(bytes, TOO_MANY);
		this.mostBytes = bytes;
	}

	/** Answers with one document. */
	public void writeOne(HttpServletRequest request, HttpServletResponse response, Consumer<PrintStream> content)
			throws IOException, InterruptedException {
		write(ClientName.of(request), response, content, this.making.documents);
	}

	/** Answers with a page of a list. */
	public void writePage(HttpServletRequest request, HttpServletResponse response, Consumer<PrintStream> content)
			throws IOException, InterruptedException {
		write(ClientName.of(request), response, content, this.making.pages);
	}

	/**
	 * Makes the whole answer before writing it, since reading from MongoDB takes many
	 * times the answer's memory and a client may be slow.
	 */
	private void write(String client, HttpServletResponse response, Consumer<PrintStream> content, Bulkhead making)
			throws IOException, InterruptedException {
		try (Bulkhead.Taken _ = this.answers.take(1, client)) {
			byte[] body;
			Bulkhead.Taken room;
			try (Bulkhead.Taken _ = making.take(1, client)) {
				body = make(content);
				room = this.bytes.takeShare(Math.min(body.length, this.mostBytes), client);
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

	/** The places of answers while they are made, which takes most of the memory. */
	static final class Making {

		/** Single documents being read, of up to some megabytes each. */
		private static final int DOCUMENTS = 4;

		/** Pages of lists being read, since such a query may take its time. */
		private static final int PAGES = 2;

		private final Bulkhead documents = new Bulkhead(DOCUMENTS, TOO_MANY);

		private final Bulkhead pages = new Bulkhead(PAGES, TOO_MANY);

	}

}
