package jobs.localstack;

import org.jspecify.annotations.Nullable;

/**
 * Tells how long something takes: on a terminal in one line that moves each second,
 * elsewhere in a line of its own every five seconds.
 */
final class Progress implements AutoCloseable {

	private static final int SECONDS_BETWEEN_LINES = 5;

	private static final String REST_OF_LINE = "\033[K";

	private final boolean moves;

	private @Nullable String name;

	private long begun;

	private long told;

	/**
	 * Tells nothing yet.
	 * @param moves whether the output is a terminal
	 */
	Progress(boolean moves) {
		this.moves = moves;
	}

	synchronized void begin(String name) {
		this.name = name;
		this.begun = System.nanoTime();
		this.told = 0;
		say(name + " ...", this.moves ? "" : "\n");
		Thread.startVirtualThread(this::tell);
	}

	private void tell() {
		try {
			while (isTold()) {
				Thread.sleep(1000);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private synchronized boolean isTold() {
		if (this.name == null) {
			return false;
		}
		String text = "%s ... %d s".formatted(this.name, seconds());
		if (this.moves) {
			say("\r" + text, REST_OF_LINE);
		}
		else if (seconds() - this.told >= SECONDS_BETWEEN_LINES) {
			say(text, "\n");
			this.told = seconds();
		}
		return true;
	}

	/** Tells how long it took. */
	synchronized void end() {
		if (this.name != null) {
			String text = "%s: %d s".formatted(this.name, seconds());
			say(this.moves ? "\r" + text : text, this.moves ? REST_OF_LINE + "\n" : "\n");
			this.name = null;
		}
	}

	/** Leaves the line, where it did not come to its end. */
	@Override
	public synchronized void close() {
		if (this.name != null) {
			say("", this.moves ? "\n" : "");
			this.name = null;
		}
	}

	private long seconds() {
		return (System.nanoTime() - this.begun) / 1_000_000_000;
	}

	private static void say(String text, String end) {
		System.out.print(text + end);
		System.out.flush();
	}

}
