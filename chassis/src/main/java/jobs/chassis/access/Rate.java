package jobs.chassis.access;

import org.jspecify.annotations.Nullable;

/**
 * How much one client may send to each instance of a service. It may send a second's
 * worth at once.
 *
 * @param jobs per second; {@code null} for any number
 * @param bytes of documents per second; {@code null} for any number
 */
public record Rate(@Nullable Long jobs, @Nullable Long bytes) {

	/** For who may send as much as there is room for. */
	public static final Rate NONE = new Rate(null, null);

	/** The most per second that can be set: one in each nanosecond. */
	static final long MOST = 1_000_000_000;

	public Rate {
		require(jobs);
		require(bytes);
	}

	private static void require(@Nullable Long perSecond) {
		if (perSecond != null && (perSecond < 1 || perSecond > MOST)) {
			throw new IllegalArgumentException("a limit must be 1 to %d a second".formatted(MOST));
		}
	}

	/** This limit, with the values of another where it has none. */
	public Rate or(Rate other) {
		return new Rate((this.jobs != null) ? this.jobs : other.jobs, (this.bytes != null) ? this.bytes : other.bytes);
	}

}
