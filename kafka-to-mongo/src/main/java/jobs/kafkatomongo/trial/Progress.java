package jobs.kafkatomongo.trial;

import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells how far a trial is: on a terminal in one line that moves each second, elsewhere
 * in a line of its own every ten seconds.
 */
final class Progress implements AutoCloseable {

	private static final int SECONDS_BETWEEN_LINES = 10;

	private static final String REST_OF_LINE = "\033[K";

	private final PrintStream err;

	private final boolean moves;

	private final long begun = System.nanoTime();

	private final AtomicLong done = new AtomicLong();

	private final Thread thread;

	private boolean closed;

	private volatile long total;

	private volatile String part = "Connecting";

	/**
	 * Begins to tell.
	 * @param moves whether {@code err} is a terminal
	 */
	Progress(PrintStream err, boolean moves) {
		this.err = err;
		this.moves = moves;
		this.thread = Thread.startVirtualThread(this::tell);
	}

	/** How many documents and records there are in all, as far as is known. */
	void total(long total) {
		this.total = total;
	}

	/** What is read now. */
	void part(String part) {
		this.part = part;
	}

	/** So many were read. */
	void done(long more) {
		this.done.addAndGet(more);
	}

	private void tell() {
		try {
			for (int second = 0; isTold(second); second++) {
				Thread.sleep(1000);
			}
		}
		catch (InterruptedException ex) {
			// it is closed
		}
	}

	private synchronized boolean isTold(int second) {
		if (!this.closed && this.moves) {
			this.err.print("\r" + text() + REST_OF_LINE);
			this.err.flush();
		}
		else if (!this.closed && second % SECONDS_BETWEEN_LINES == 0) {
			this.err.println(text());
		}
		return !this.closed;
	}

	private String text() {
		long read = this.done.get();
		if (this.total == 0) {
			return this.part + " ...";
		}
		// more may have come than there were
		long percent = Math.min(99, 100 * read / this.total);
		String left = (read > 0 && read < this.total)
				? ", %d s left".formatted((System.nanoTime() - this.begun) / 1_000_000_000 * (this.total - read) / read)
				: "";
		return "%s ... %d %%, %d of %d%s".formatted(this.part, percent, read, Math.max(read, this.total), left);
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		this.thread.interrupt();
		if (this.moves) {
			this.err.print("\r" + REST_OF_LINE);
			this.err.flush();
		}
	}

}
