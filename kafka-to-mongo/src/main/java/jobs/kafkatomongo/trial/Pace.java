package jobs.kafkatomongo.trial;

import java.time.Duration;

/**
 * Lets one thread work for a quarter of the time at most, so that the service goes first.
 */
final class Pace {

	/** How much longer a rest is than the work before it. */
	private static final int TIMES = 3;

	/** The longest rest of a trial, after a wait for a backend, too. */
	private static final Duration LONGEST = Duration.ofSeconds(5);

	private long begun = System.nanoTime();

	/** Rests for three times as long as it was since the last rest. */
	void rest() throws InterruptedException {
		long worked = System.nanoTime() - this.begun;
		Thread.sleep(Duration.ofNanos(Math.min(worked * TIMES, LONGEST.toNanos())));
		this.begun = System.nanoTime();
	}

}
