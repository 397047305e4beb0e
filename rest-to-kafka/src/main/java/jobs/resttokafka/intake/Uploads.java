package jobs.resttokafka.intake;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.function.LongFunction;

import jobs.resttokafka.limits.Limits;
import jobs.resttokafka.limits.RefusedException;
import jobs.resttokafka.limits.RefusedException.Reason;
import org.jspecify.annotations.Nullable;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Runs uploads, bounds their number, and ends them when this service stops. */
@Component
public class Uploads {

	private final Semaphore places = new Semaphore(Limits.UPLOADS);

	private final Semaphore widePlaces = new Semaphore(Limits.WIDE_UPLOADS);

	private final JobIntake intake;

	private volatile boolean stopping;

	Uploads(JobIntake intake) {
		this.intake = intake;
	}

	@EventListener(ContextClosedEvent.class)
	void stop() {
		this.stopping = true;
	}

	/**
	 * Runs an upload to its end, with the errors of {@link Upload#run}; throws
	 * RefusedException also where there are too many uploads.
	 */
	public void run(RequestBody body, OutcomeWriter outcomes, LongFunction<String> ids, @Nullable String traceparent)
			throws IOException {
		if (!this.places.tryAcquire()) {
			throw new RefusedException(Reason.NO_ROOM, "Too many uploads at once");
		}
		boolean isWide = this.widePlaces.tryAcquire();
		try {
			int maxPending = isWide ? Limits.PENDING_LINES_WIDE : Limits.PENDING_LINES;
			new Upload(body, outcomes, this.intake, () -> this.stopping, maxPending).run(ids, traceparent);
		}
		finally {
			this.widePlaces.release(isWide ? 1 : 0);
			this.places.release();
		}
	}

}
