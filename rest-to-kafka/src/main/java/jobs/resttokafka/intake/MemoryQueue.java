package jobs.resttokafka.intake;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Lets lines of uploads to a resource wait for memory. The line in front of the queue
 * asks for what others give back; a line that does not wait yet may be faster. Where
 * nobody gives enough back, as when all memory is held by lines that wait themselves, the
 * line in front goes beyond the memory up to its end. Only one line at a time does so.
 */
class MemoryQueue {

	/** The wait in front for room, before the line goes beyond. */
	private static final long BEFORE_BEYOND_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/** The time between two looks at whether the wait is over. */
	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final long patienceNanos;

	private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();

	private final Semaphore beyond = new Semaphore(1);

	private volatile long lastRelease = System.nanoTime();

	/** Makes a queue whose lines wait as long as memory is given back now and then. */
	MemoryQueue(Duration patience) {
		this.patienceNanos = patience.toNanos();
	}

	/**
	 * Waits until a line has room for its next bytes. Returns false when the service
	 * stops, when the thread is interrupted, or when no memory was given back for as long
	 * as the patience lasts.
	 */
	boolean await(DocumentMemory.Lease line, int bytes, BooleanSupplier stopping) {
		long start = System.nanoTime();
		this.waiting.add(Thread.currentThread());
		try {
			while (this.waiting.peek() != Thread.currentThread()) {
				if (isOver(start, stopping)) {
					return false;
				}
				LockSupport.parkNanos(this, LOOK_NANOS);
			}
			return awaitInFront(line, bytes, start, stopping);
		}
		finally {
			this.waiting.remove(Thread.currentThread());
			LockSupport.unpark(this.waiting.peek());
		}
	}

	private boolean awaitInFront(DocumentMemory.Lease line, int bytes, long start, BooleanSupplier stopping) {
		long inFront = System.nanoTime();
		while (!line.take(bytes)) {
			if (System.nanoTime() - inFront > BEFORE_BEYOND_NANOS && this.beyond.tryAcquire()) {
				line.goBeyond(bytes);
				return true;
			}
			if (isOver(start, stopping)) {
				return false;
			}
			LockSupport.parkNanos(this, BEFORE_BEYOND_NANOS);
		}
		return true;
	}

	private boolean isOver(long start, BooleanSupplier stopping) {
		long now = System.nanoTime();
		return stopping.getAsBoolean() || Thread.currentThread().isInterrupted()
				|| Math.min(now - start, now - this.lastRelease) > this.patienceNanos;
	}

	/** Tells that memory was given back. */
	void released() {
		Thread thread = this.waiting.peek();
		if (thread != null) {
			this.lastRelease = System.nanoTime();
			LockSupport.unpark(thread);
		}
	}

	/** Has the line in front look again, as where others have given memory back. */
	void wake() {
		Thread thread = this.waiting.peek();
		if (thread != null) {
			LockSupport.unpark(thread);
		}
	}

	/** Tells that the line which went beyond has given its memory back. */
	void releasedBeyond() {
		this.beyond.release();
		released();
	}

}
