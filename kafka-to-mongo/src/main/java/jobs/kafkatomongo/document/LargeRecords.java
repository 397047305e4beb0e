package jobs.kafkatomongo.document;

import java.util.concurrent.Semaphore;

import jobs.contract.resources.CheckBudget;

/**
 * Bounds the large records that are parsed at once, by their bytes: a check that fails
 * takes some thirty times the size of its document. All resources share this, and so does
 * what is replayed. One such check may take half of the heap, which has to hold the
 * records of a batch and their dead letters too, so the largest ones are parsed one by
 * one.
 */
public final class LargeRecords {

	/** Bytes up to which a record is parsed beside any number of others. */
	private static final int SMALL_RECORD_BYTES = 8192;

	private final int largest;

	/** Bytes of large records that are parsed at once, unless one alone has more. */
	private final int together;

	private final Semaphore bytes;

	/** Makes room in a heap of so many bytes. */
	public LargeRecords(long heap) {
		this.largest = CheckBudget.bytes(heap);
		this.together = CheckBudget.bytes(heap / 2);
		this.bytes = new Semaphore(this.together, true);
	}

	/** The most bytes of a record that this process can parse. */
	int largest() {
		return this.largest;
	}

	/**
	 * Takes the room of a record, of up to {@link #largest} bytes, until it is closed.
	 * Waits for those that have the room, which need nothing but the processor.
	 */
	Room take(int recordBytes) {
		if (recordBytes <= SMALL_RECORD_BYTES) {
			return () -> {
			};
		}
		int own = Math.min(recordBytes, this.together);
		this.bytes.acquireUninterruptibly(own);
		return () -> this.bytes.release(own);
	}

	/** What a record has taken; {@link #close} gives it back. */
	@FunctionalInterface
	interface Room extends AutoCloseable {

		@Override
		void close();

	}

}
