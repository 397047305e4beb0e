package jobs.kafkatomongo.lag;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How far behind the group was.
 *
 * @param at when the measurement began
 * @param next the offset from which records of a partition are not committed
 * @param end the end of each partition
 * @param oldest when the oldest record that is not committed was published, {@code null}
 * when none waits
 */
public record LagSnapshot(Instant at, Map<Integer, Long> next, Map<Integer, Long> end, @Nullable Instant oldest) {

	/** A snapshot is recent up to this age; a new one comes every two seconds. */
	private static final Duration RECENT = Duration.ofSeconds(10);

	/** How many records the topic ever had, by its offsets. */
	public long published() {
		return this.end.values().stream().mapToLong(Long::longValue).sum();
	}

	/** How many records are not committed. */
	public long waiting() {
		return this.end.keySet().stream().mapToLong(this::waiting).sum();
	}

	/** How many records of a partition are not committed, 0 where there is none. */
	long waiting(int partition) {
		return this.end.getOrDefault(partition, 0L) - this.next.getOrDefault(partition, 0L);
	}

	/** Whether all records that there were at an earlier snapshot are committed. */
	public boolean hasAllOf(LagSnapshot earlier) {
		return earlier.end.entrySet()
			.stream()
			.allMatch((end) -> this.next.getOrDefault(end.getKey(), 0L) >= end.getValue());
	}

	/** Whether the snapshot is less than ten seconds old. */
	public boolean isRecent() {
		return this.at.isAfter(Instant.now().minus(RECENT));
	}

	/** Whether it is known since when the oldest record waits, if one does. */
	boolean isAgeKnown() {
		return waiting() == 0 || this.oldest != null;
	}

	/** How long the oldest record has waited by now, zero when none waits. */
	Duration age() {
		Duration age = (this.oldest != null) ? Duration.between(this.oldest, Instant.now()) : Duration.ZERO;
		return age.isNegative() ? Duration.ZERO : age;
	}

}
