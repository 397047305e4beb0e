package jobs.kafkatomongo.console;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The samples of the last minutes, so that a chart does not begin with its page. The
 * oldest give way beyond {@link #HISTORY_SAMPLES} and {@link #HISTORY_TIME}.
 */
class History {

	/** Samples that the charts of the console show, one every two seconds. */
	static final int HISTORY_SAMPLES = 450;

	/** Time that the charts of the console show. */
	static final Duration HISTORY_TIME = Duration.ofSeconds(900);

	private final Deque<Sample> samples = new ArrayDeque<>();

	/** How many samples there ever were. */
	private long count;

	synchronized void add(Sample sample) {
		// a clock that was set back would draw lines backwards
		if (!this.samples.isEmpty() && !sample.at().isAfter(this.samples.getLast().at())) {
			this.samples.clear();
		}
		this.samples.add(sample);
		this.count++;
		Instant first = sample.at().minus(HISTORY_TIME);
		while (this.samples.size() > HISTORY_SAMPLES || this.samples.getFirst().at().isBefore(first)) {
			this.samples.removeFirst();
		}
	}

	/** What is kept of the samples after the first {@code seen} ones. */
	synchronized Part after(long seen) {
		long kept = Math.min(this.samples.size(), this.count - seen);
		return new Part(this.count, this.samples.stream().skip(this.samples.size() - kept).toList());
	}

	/** Some samples in their order, and how many there ever were. */
	record Part(long count, List<Sample> samples) {

	}

	/**
	 * The figures of a moment; what is not known is {@code null}.
	 *
	 * @param accepted records that came to the topic, for each second
	 * @param stored records that were committed, for each second
	 * @param waiting records that are not committed
	 * @param median half of the jobs were stored within so many milliseconds
	 * @param p99 99 of 100 jobs were stored within so many milliseconds
	 * @param deadLetters how many records became dead letters, by their reason
	 */
	record Sample(Instant at, @Nullable Double accepted, @Nullable Double stored, @Nullable Long waiting,
			@Nullable Double median, @Nullable Double p99, Map<String, Long> deadLetters) {

	}

}
