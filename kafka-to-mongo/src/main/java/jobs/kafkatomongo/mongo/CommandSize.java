package jobs.kafkatomongo.mongo;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How many documents of a collection go into one command: fewer after one that took long,
 * as in a MongoDB that has much else to do, and more again once they are quick. A command
 * that outlasts the time-out of a read has no answer, and its batch would be written from
 * the beginning each time. Several threads may share it.
 */
public final class CommandSize {

	/** Milliseconds of a command, after which the next one has half of its documents. */
	private static final int LONG_COMMAND = 2000;

	/** Milliseconds of a command, below which the next one may have twice as many. */
	private static final int SHORT_COMMAND = 500;

	/** Documents that a command may have, however long it takes. */
	private static final int FEWEST_DOCUMENTS = 16;

	/** Documents that no batch has. */
	private static final int ALL = 1 << 30;

	private final LongSupplier nanoTime;

	private volatile int documents = ALL;

	/** All documents of a batch may go into one command. */
	public CommandSize() {
		this(System::nanoTime);
	}

	/** The same with a clock for tests. */
	CommandSize(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/** The most documents of the next command. */
	int documents() {
		return this.documents;
	}

	/** When a command begins. */
	long begin() {
		return this.nanoTime.getAsLong();
	}

	/**
	 * Notes that a command has ended, with or without success.
	 * @param begun when it began
	 * @param size its documents
	 */
	void ended(long begun, int size) {
		long millis = TimeUnit.NANOSECONDS.toMillis(this.nanoTime.getAsLong() - begun);
		if (millis > LONG_COMMAND) {
			this.documents = Math.max(FEWEST_DOCUMENTS, size / 2);
		}
		else if (millis < SHORT_COMMAND && size >= this.documents) {
			this.documents = Math.min(ALL, 2 * this.documents);
		}
	}

}
