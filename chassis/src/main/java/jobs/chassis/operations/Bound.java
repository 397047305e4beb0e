package jobs.chassis.operations;

import java.time.Duration;

/**
 * A fixed bound of a service. The document on configuration lists all of them.
 *
 * @param value a number of things, or milliseconds
 * @param meaning what is bounded, in which unit and why, and what happens beyond
 */
public record Bound(long value, String meaning) {

	/** Bounds a number of things. */
	public static Bound of(long count, String meaning) {
		return new Bound(count, meaning);
	}

	/** Bounds a time. */
	public static Bound of(Duration time, String meaning) {
		return new Bound(time.toMillis(), meaning);
	}

	public int count() {
		return Math.toIntExact(this.value);
	}

	public Duration time() {
		return Duration.ofMillis(this.value);
	}

}
