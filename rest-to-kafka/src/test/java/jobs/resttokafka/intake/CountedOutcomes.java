package jobs.resttokafka.intake;

import java.util.ArrayList;
import java.util.List;

import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;

/**
 * Counts the outcomes of an upload.
 */
final class CountedOutcomes implements Uploads.OutcomeWriter {

	int accepted;

	final List<Reason> refused = new ArrayList<>();

	@Override
	public void accepted(long line, String id) {
		this.accepted++;
	}

	@Override
	public void refused(long line, RefusedException refusal) {
		this.refused.add(refusal.reason());
	}

	@Override
	public void end() {
		// nothing is counted
	}

	@Override
	public void flush() {
		// nobody reads
	}

	@Override
	public boolean isCommitted() {
		return true;
	}

}
