package jobs.resttokafka.intake;

import jobs.resttokafka.limits.RefusedException;
import jobs.resttokafka.publish.Publisher;
import org.jspecify.annotations.Nullable;

/**
 * A line of an upload whose outcome is not told yet.
 *
 * @param number its number, from 1
 * @param id the job's id; empty where the line was refused
 * @param bytes the size of the job; 0 where the line was refused
 * @param publication the job on its way, or {@code null} where the line was refused
 * @param refusal why the line was refused, or {@code null}
 */
record UploadLine(long number, String id, int bytes, Publisher.@Nullable Publication publication,
		@Nullable RefusedException refusal) {

	UploadLine(long number, String id, int bytes, Publisher.Publication publication) {
		this(number, id, bytes, publication, null);
	}

	UploadLine(long number, RefusedException refusal) {
		this(number, "", 0, null, refusal);
	}

	/**
	 * How many lines it counts for: a bad one holds its broken rules, too.
	 */
	int weight() {
		return 1 + ((this.refusal != null) ? this.refusal.violations().size() : 0);
	}

	/**
	 * Whether Kafka's client did not even take it. The next line would wait as long, so
	 * the outcome of this one is looked at first.
	 */
	boolean hasFailed() {
		return this.publication != null && this.publication.hasFailed();
	}

	/**
	 * Waits until it is known what became of the line.
	 * @return why it was not accepted, or {@code null} when Kafka has it
	 */
	@Nullable RefusedException await() {
		if (this.publication == null) {
			return this.refusal;
		}
		try {
			this.publication.await();
			return null;
		}
		catch (RefusedException ex) {
			return ex;
		}
	}

}
