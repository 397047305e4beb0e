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

/**
 * All uploads: bounds how many there are, and ends them when this service stops.
 */
@Component
public class Uploads {

	private final Semaphore places = new Semaphore(Limits.UPLOADS.count());

	private final Semaphore widePlaces = new Semaphore(Limits.WIDE_UPLOADS.count());

	private final JobIntake intake;

	private final JobMemory memory;

	private volatile boolean stopping;

	Uploads(JobIntake intake, JobMemory memory) {
		this.intake = intake;
		this.memory = memory;
	}

	@EventListener(ContextClosedEvent.class)
	void stop() {
		this.stopping = true;
	}

	/**
	 * Runs an upload to its end.
	 * @param body its lines
	 * @param outcomes where the outcomes go
	 * @param ids makes the id of a line from its number
	 * @param traceparent the trace that the upload belongs to, if it does
	 * @throws RefusedException when there are too many uploads, or when Kafka takes no
	 * job and nothing has been told yet: the whole upload is refused
	 * @throws IOException when the client is gone; what was read by then is published
	 */
	public void run(RequestBody body, OutcomeWriter outcomes, LongFunction<String> ids, @Nullable String traceparent)
			throws IOException {
		if (!this.places.tryAcquire()) {
			throw new RefusedException(Reason.NO_ROOM, "Too many uploads at once");
		}
		boolean isWide = this.widePlaces.tryAcquire();
		try {
			int maxPending = isWide ? Limits.PENDING_LINES_WIDE.count() : Limits.PENDING_LINES.count();
			new Upload(body, outcomes, this.intake, this.memory, () -> this.stopping, maxPending).run(ids, traceparent);
		}
		finally {
			this.widePlaces.release(isWide ? 1 : 0);
			this.places.release();
		}
	}

}
