package jobs.resttokafka.intake;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

import jobs.contract.resources.Resource;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Reads documents from the body of a request, each within its size, its time and the
 * memory that all requests share.
 */
public class RequestBody {

	/** Bytes read from a body at a time. */
	static final int CHUNK_BYTES = 2048;

	private static final int NO_DELIMITER = -1;

	private final InputStream body;

	private final BooleanSupplier atHand;

	private final Resource resource;

	private final Duration time;

	private final DocumentMemory memory;

	private final byte[] chunk = new byte[CHUNK_BYTES];

	private int position;

	private int end;

	private long start;

	/**
	 * Prepares to read documents of a resource, for {@code time} each, from a stream,
	 * which throws EOFException where the body breaks off while the client is still
	 * there. {@code atHand} knows of bytes that the stream can't see yet.
	 */
	public RequestBody(InputStream body, BooleanSupplier atHand, Resource resource, Duration time,
			DocumentMemory memory) {
		this.body = body;
		this.atHand = atHand;
		this.resource = resource;
		this.time = time;
		this.memory = memory;
	}

	/** The resource whose documents are read. */
	Resource resource() {
		return this.resource;
	}

	/**
	 * Reads the rest of the body as one document, which the caller submits or closes.
	 * Throws RefusedException when the document is too large or too slow, or there is no
	 * room. Throws IOException when the client is gone.
	 */
	public HeldDocument readDocument() throws IOException {
		HeldDocument document = read(NO_DELIMITER, null);
		return (document != null) ? document : new HeldDocument(this.memory.lease(this.resource, false));
	}

	/**
	 * Reads a line as {@link #readDocument} reads a document, or returns {@code null} at
	 * the end of the body. It skips a line that is too large or finds no room: the next
	 * call reads the next line.
	 */
	@Nullable HeldDocument readLine(Waits waits) throws IOException {
		return read('\n', waits);
	}

	/** Whether the next byte can be read without a wait. */
	boolean isAtHand() throws IOException {
		return this.position < this.end || this.body.available() > 0 || this.atHand.getAsBoolean();
	}

	private @Nullable HeldDocument read(int delimiter, @Nullable Waits waits) throws IOException {
		this.start = System.nanoTime();
		HeldDocument document = new HeldDocument(this.memory.lease(this.resource, waits != null));
		RefusedException refused = null;
		boolean found = false;
		boolean any = false;
		boolean complete = false;
		try {
			while (!found && (this.position < this.end || fill(waits, refused != null))) {
				any = true;
				int from = this.position;
				found = skipTo(delimiter);
				if (refused == null) {
					refused = append(document, from, this.position - from - (found ? 1 : 0), waits);
				}
				if (refused != null) {
					// what is left of the line is skipped
					document.close();
					if (waits == null) {
						break;
					}
				}
			}
			if (refused != null) {
				throw refused;
			}
			complete = any;
			return any ? document : null;
		}
		catch (RefusedException ex) {
			throw (refused != null && refused.reason() == Reason.TOO_LARGE && ex.reason() == Reason.TOO_SLOW)
					? RefusedException.endless(refused) : ex;
		}
		finally {
			if (!complete) {
				document.close();
			}
		}
	}

	private boolean fill(@Nullable Waits waits, boolean skipping) throws IOException {
		if (waits != null && !isAtHand()) {
			long before = System.nanoTime();
			waits.beforeClient();
			// this service's own work does not count as the client's time
			this.start += System.nanoTime() - before;
		}
		try {
			this.end = Math.max(0, this.body.read(this.chunk));
		}
		catch (SocketTimeoutException ex) {
			throw tooSlow();
		}
		catch (EOFException ex) {
			throw new RefusedException(Reason.BROKEN_OFF,
					"The body ends before its announced length, or has a broken chunk");
		}
		this.position = 0;
		long nanos = System.nanoTime() - this.start;
		if (nanos > this.time.toNanos()) {
			throw tooSlow();
		}
		if (waits != null && this.end > 0) {
			waits.afterClient(nanos, this.end, skipping);
			// nor is it the client's time while it is slowed down
			this.start = System.nanoTime() - nanos;
		}
		return this.end > 0;
	}

	private boolean skipTo(int delimiter) {
		if (delimiter == NO_DELIMITER) {
			this.position = this.end;
		}
		while (this.position < this.end) {
			if (this.chunk[this.position++] == delimiter) {
				return true;
			}
		}
		return false;
	}

	private @Nullable RefusedException append(HeldDocument document, int from, int length, @Nullable Waits waits)
			throws IOException {
		if (document.size() + length > this.resource.maxSize()) {
			return RefusedException.tooLarge(this.resource);
		}
		if (!document.lease().take(length) && (waits == null || !awaitRoom(document.lease(), length, waits))) {
			return new RefusedException(Reason.NO_ROOM, "Too many %ss in flight".formatted(this.resource.noun()));
		}
		document.add(this.chunk, from, length);
		return null;
	}

	private boolean awaitRoom(DocumentMemory.Lease line, int length, Waits waits) throws IOException {
		long before = System.nanoTime();
		boolean found = waits.awaitRoom(line, length);
		// nor does the wait for others
		this.start += System.nanoTime() - before;
		return found;
	}

	private RefusedException tooSlow() {
		return new RefusedException(Reason.TOO_SLOW,
				"The %s did not arrive within %d ms".formatted(this.resource.noun(), this.time.toMillis()));
	}

	/** An upload, which has work to do while a line has to wait. */
	interface Waits {

		/** Runs before a wait for the client. */
		void beforeClient() throws IOException;

		/**
		 * Runs after the client has sent some bytes, and learns how long the client took
		 * for the line by now, and whether the line is skipped and so holds no memory.
		 * Throws RefusedException when the upload ends.
		 */
		void afterClient(long nanos, int bytes, boolean skipping) throws IOException;

		/**
		 * Waits until a line has taken memory for its next bytes, and returns whether it
		 * has. Throws RefusedException when the upload ends.
		 */
		boolean awaitRoom(DocumentMemory.Lease line, int bytes) throws IOException;

	}

}
