package jobs.crawler.fetch;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Has each host asked by one request at a time, with a pause between two, whoever asks.
 */
final class HostTurns {

	/** Pages of all hosts that are asked for or read. */
	private final Semaphore workers;

	private final Map<String, Turn> turns = new ConcurrentHashMap<>();

	HostTurns(int workers) {
		this.workers = new Semaphore(workers);
	}

	/**
	 * Waits for the turn of a host and for a place among the workers, and asks it.
	 * @param host the name of the host
	 * @param pause from the end of this request to the next one
	 * @param request what asks
	 * @return the answer, which keeps the place until it is closed
	 */
	Fetched take(String host, Duration pause, Request request) throws InterruptedException {
		Turn turn = this.turns.computeIfAbsent(host, (_) -> new Turn());
		turn.lock.lockInterruptibly();
		try {
			turn.await();
			this.workers.acquire();
			try {
				long askedAt = System.currentTimeMillis();
				return new Fetched(request.ask(), askedAt, this.workers::release);
			}
			catch (InterruptedException | RuntimeException | Error ex) {
				this.workers.release();
				throw ex;
			}
			finally {
				turn.rest(pause);
			}
		}
		finally {
			turn.lock.unlock();
		}
	}

	/** Leaves a host alone for at least so long. */
	void rest(String host, Duration pause) {
		this.turns.computeIfAbsent(host, (_) -> new Turn()).rest(pause);
	}

	/** A request to a host. */
	@FunctionalInterface
	interface Request {

		/** Asks, and returns the answer. */
		Answer ask() throws InterruptedException;

	}

	private static final class Turn {

		private final ReentrantLock lock = new ReentrantLock(true);

		private long next = System.nanoTime();

		synchronized void rest(Duration pause) {
			long until = System.nanoTime() + pause.toNanos();
			if (until - this.next > 0) {
				this.next = until;
			}
		}

		private synchronized long nanos() {
			return this.next - System.nanoTime();
		}

		void await() throws InterruptedException {
			for (long nanos = nanos(); nanos > 0; nanos = nanos()) {
				TimeUnit.NANOSECONDS.sleep(nanos);
			}
		}

	}

}
