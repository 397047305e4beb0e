package jobs.kafkatomongo.query;

import java.time.Instant;

import jobs.kafkatomongo.lag.ConsumerLag;
import jobs.kafkatomongo.lag.LagSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * Whether each record that was published before a request is settled by now: stored, or a
 * dead letter.
 */
class Settlement {

	private final ConsumerLag backlog;

	private final Instant asked = Instant.now();

	/** The first measurement after the request began. */
	private @Nullable LagSnapshot first;

	private boolean settled;

	Settlement(ConsumerLag backlog) {
		this.backlog = backlog;
	}

	/** Whether the last look has found all settled. */
	boolean isSettled() {
		return this.settled;
	}

	/** Looks whether all is settled, for which two measurements are enough. */
	boolean look() throws InterruptedException {
		if (this.settled) {
			return true;
		}
		LagSnapshot now = this.backlog.snapshotSince((this.first != null) ? this.first.at() : this.asked);
		if (now.at().isAfter(this.asked)) {
			this.first = (this.first != null) ? this.first : now;
			this.settled = now.hasAllOf(this.first);
		}
		return this.settled;
	}

}
