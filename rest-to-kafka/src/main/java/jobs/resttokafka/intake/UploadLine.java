package jobs.resttokafka.intake;

import jobs.contract.resources.Resource;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.publish.Origin;
import jobs.resttokafka.publish.Publisher;
import org.jspecify.annotations.Nullable;

/**
 * A line of an upload whose outcome is not told yet; lines count from 1. A refused line
 * has an empty id, no bytes and no publication.
 */
record UploadLine(long number, String id, int bytes, Publisher.@Nullable Publication publication,
		@Nullable RefusedException refusal) {

	UploadLine(long number, String id, int bytes, Publisher.Publication publication) {
		this(number, id, bytes, publication, null);
	}

	UploadLine(long number, RefusedException refusal) {
		this(number, "", 0, null, refusal);
	}

	/** Hands the document of a line to Kafka, or refuses the line. */
	static UploadLine submit(DocumentIntake intake, Resource resource, long number, @Nullable String given,
			HeldDocument document, Origin origin) {
		try {
			int size = document.size();
			Publisher.Publication publication = intake.submit(resource, given, document, origin);
			return new UploadLine(number, publication.id(), size, publication);
		}
		catch (RefusedException ex) {
			return new UploadLine(number, ex);
		}
	}

	/**
	 * Says what to send again after a line that ends an upload. With a key, the ids come
	 * from the numbers of the lines.
	 */
	static RefusedException withAdvice(RefusedException refusal, boolean hasKey) {
		boolean isInVain = refusal.reason() == RefusedException.Reason.ENDLESS;
		return new RefusedException(refusal.reason(), refusal.detail() + ": send " + again(hasKey, isInVain));
	}

	private static String again(boolean hasKey, boolean isInVain) {
		if (hasKey) {
			return "the whole upload again, with the same Idempotency-Key" + (isInVain ? " and another line here" : "");
		}
		return isInVain ? "all after this line again" : "this line and all after it again";
	}

	/** How many lines this one counts for: a refused line also holds its broken rules. */
	int weight() {
		return 1 + ((this.refusal != null) ? this.refusal.violations().size() : 0);
	}

	/**
	 * Whether Kafka's client has refused the document already. The next line would wait
	 * as long, so the outcome of this one is looked at first.
	 */
	boolean hasFailed() {
		return this.publication != null && this.publication.hasFailed();
	}

	/** Waits for the outcome: a refusal, or {@code null} when Kafka has the document. */
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
