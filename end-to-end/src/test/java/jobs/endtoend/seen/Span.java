package jobs.endtoend.seen;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;

/**
 * A stretch of time, in milliseconds of the clock.
 *
 * @param from its beginning
 * @param to its end, not before the beginning
 */
record Span(long from, long to) {

	private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss")
		.withZone(ZoneId.systemDefault());

	long millis() {
		return this.to - this.from;
	}

	boolean overlaps(Span other) {
		return this.from <= other.to && other.from <= this.to;
	}

	/**
	 * What is left of it without others, in order.
	 */
	List<Span> without(List<Span> others) {
		List<Span> left = List.of(this);
		for (Span other : others) {
			List<Span> next = new ArrayList<>();
			for (Span span : left) {
				add(next, span.from, Math.min(span.to, other.from));
				add(next, Math.max(span.from, other.to), span.to);
			}
			left = next.stream().distinct().toList();
		}
		return left;
	}

	private static void add(List<Span> spans, long from, long to) {
		if (from < to) {
			spans.add(new Span(from, to));
		}
	}

	@Override
	public String toString() {
		return "%s to %s".formatted(time(this.from), time(this.to));
	}

	static String time(long millis) {
		return CLOCK.format(Instant.ofEpochMilli(millis));
	}

}
