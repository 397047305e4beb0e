package jobs.kafkatomongo.mongo;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Into how many commands a batch of a collection goes: twice as many after a command that
 * took long, as in a MongoDB that has much else to do, and fewer again once they are
 * quick. A command that outlasts the time-out of a read has no answer, and its batch
 * would be written from the beginning each time. Several threads may share it.
 */
public final class CommandSize {

	/** Milliseconds of a command, after which a batch goes into twice as many. */
	private static final int LONG_COMMAND = 5000;

	/** Milliseconds of a command, below which a batch goes into half as many. */
	private static final int SHORT_COMMAND = 2000;

	/**
	 * Commands of a batch, however long they take: Kafka awaits the next poll for five
	 * minutes.
	 */
	private static final int MOST_COMMANDS = 8;

	/** Documents of a command below which its time says nothing of their number. */
	private static final int FEW_DOCUMENTS = 100;

	private final LongSupplier nanoTime;

	/** A power of two. A new process does not know yet how busy MongoDB is. */
	private int commands = MOST_COMMANDS;

	/** A batch goes into as many commands as may be. */
	public CommandSize() {
		this(System::nanoTime);
	}

	/** The same with a clock for tests. */
	CommandSize(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/** The most documents of a command, given those of a batch. */
	synchronized int documents(int batch) {
		return Math.max(FEW_DOCUMENTS, (batch + this.commands - 1) / this.commands);
	}

	/** When a command begins. */
	long begin() {
		return this.nanoTime.getAsLong();
	}

	/**
	 * Notes that a command has ended.
	 * @param begun when it began
	 * @param documents of the command
	 * @param isAnswered whether MongoDB has answered about each of them
	 */
	synchronized void ended(long begun, int documents, boolean isAnswered) {
		long millis = TimeUnit.NANOSECONDS.toMillis(this.nanoTime.getAsLong() - begun);
		if (documents < FEW_DOCUMENTS) {
			return;
		}
		if (millis > LONG_COMMAND) {
			this.commands = Math.min(MOST_COMMANDS, 2 * this.commands);
		}
		else if (millis < SHORT_COMMAND && isAnswered) {
			this.commands = Math.max(1, this.commands / 2);
		}
	}

}
