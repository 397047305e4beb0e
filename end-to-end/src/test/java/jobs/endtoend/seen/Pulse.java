package jobs.endtoend.seen;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Notes when the machine itself had no time: a thread that sleeps wakes up late. What a
 * service says or fails to say then is the machine's fault.
 */
final class Pulse {

	private static final long BEAT = 100;

	private static final long LATE = 1000;

	private final List<Span> pauses = new ArrayList<>();

	private volatile boolean ending;

	/**
	 * Beats until told to end.
	 */
	void run() {
		try {
			while (!this.ending) {
				long from = System.currentTimeMillis();
				TimeUnit.MILLISECONDS.sleep(BEAT);
				beat(new Span(from, System.currentTimeMillis()));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	void end() {
		this.ending = true;
	}

	synchronized void beat(Span beat) {
		if (beat.millis() > BEAT + LATE) {
			this.pauses.add(beat);
		}
	}

	/**
	 * When the machine had no time.
	 */
	synchronized List<Span> pauses() {
		return List.copyOf(this.pauses);
	}

}
