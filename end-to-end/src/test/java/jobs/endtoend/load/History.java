package jobs.endtoend.load;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * What the driver sent, and what it was told about each job.
 */
public final class History {

	/**
	 * What is known of a job.
	 */
	public enum Outcome {

		/** It was never sent. */
		UNSENT,
		/** Every try was refused for good: it may be nowhere. */
		FAIL,
		/** No answer, or 503: it may be there, once. */
		UNKNOWN,
		/** A try was accepted: it has to be there, once. */
		OK

	}

	private final byte[] outcomes;

	private final byte[] tries;

	private final long[] ids;

	private final Map<Integer, String> refusals = new HashMap<>();

	private final AtomicInteger settled = new AtomicInteger();

	private volatile int size;

	/**
	 * A history of jobs that are not sent yet.
	 * @param size how many jobs it has room for
	 */
	public History(int size) {
		this.size = size;
		this.outcomes = new byte[size];
		this.tries = new byte[size];
		this.ids = new long[2 * size];
	}

	public int size() {
		return this.size;
	}

	/**
	 * Ends it: no more jobs are sent.
	 * @param jobs how many were
	 */
	public void endAt(int jobs) {
		this.size = jobs;
	}

	/**
	 * Notes a try. One that was accepted outweighs one of unknown end, and that one a
	 * refusal.
	 */
	public synchronized void note(int number, Outcome outcome, @Nullable String id) {
		this.tries[number] = (byte) Math.min(Byte.MAX_VALUE, this.tries[number] + 1);
		if (outcome.ordinal() > this.outcomes[number]) {
			this.outcomes[number] = (byte) outcome.ordinal();
		}
		if (id != null && id.length() == 36) {
			UUID uuid = UUID.fromString(id);
			this.ids[2 * number] = uuid.getMostSignificantBits();
			this.ids[2 * number + 1] = uuid.getLeastSignificantBits();
		}
	}

	/**
	 * Notes that a try was refused for what the job is, and not for how it came.
	 * @param words the status, the time and the answer
	 */
	public synchronized void noteRefusal(int number, String words) {
		this.refusals.put(number, words);
	}

	public synchronized boolean wasRefused(int number) {
		return this.refusals.containsKey(number);
	}

	/**
	 * With what a job was refused last, or null.
	 */
	public synchronized @Nullable String refusal(int number) {
		return this.refusals.get(number);
	}

	/**
	 * Notes that a job will not be tried again.
	 */
	public void settle(int jobs) {
		this.settled.addAndGet(jobs);
	}

	public int settled() {
		return this.settled.get();
	}

	public synchronized Outcome outcome(int number) {
		return Outcome.values()[this.outcomes[number]];
	}

	public synchronized boolean hasId(int number, String id) {
		return (this.ids[2 * number] == 0 && this.ids[2 * number + 1] == 0) || id(number).equals(id);
	}

	private String id(int number) {
		return new UUID(this.ids[2 * number], this.ids[2 * number + 1]).toString();
	}

	public synchronized String tell(int number) {
		return "%s after %d tries, id %s".formatted(outcome(number), this.tries[number],
				(this.ids[2 * number] != 0) ? id(number) : "unknown");
	}

}
