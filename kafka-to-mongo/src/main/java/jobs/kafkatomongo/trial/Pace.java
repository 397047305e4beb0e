package jobs.kafkatomongo.trial;

import java.time.Duration;

/** Lets one thread work for half of the time at most, so that the service goes first. */
final class Pace {

	/** The longest rest of a trial, after a wait for a backend, too. */
	private static final Duration LONGEST = Duration.ofSeconds(5);

	private long begun = System.nanoTime();

	/** Rests for as long as it was since the last rest. */
	void rest() throws InterruptedException {
		long worked = System.nanoTime() - this.begun;
		Thread.sleep(Duration.ofNanos(Math.min(worked, LONGEST.toNanos())));
		this.begun = System.nanoTime();
	}

}
