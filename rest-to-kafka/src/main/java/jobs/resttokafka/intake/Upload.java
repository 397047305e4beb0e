package jobs.resttokafka.intake;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;

import jobs.resttokafka.limits.Limits;
import jobs.resttokafka.limits.RefusedException;
import jobs.resttokafka.limits.RefusedException.Reason;
import jobs.resttokafka.publish.Publisher;
import org.jspecify.annotations.Nullable;

/**
 * An NDJSON upload: many jobs on their way at once, an outcome for every line in the
 * order of the lines, in constant memory. Outcomes are held back only while more input is
 * at hand, so that a client that waits for them gets them.
 */
class Upload {

	private final RequestBody body;

	private final OutcomeWriter outcomes;

	private final JobIntake intake;

	private final JobMemory memory;

	private final BooleanSupplier stopping;

	private final int maxPending;

	private final Deque<UploadLine> pending = new ArrayDeque<>();

	private int pendingBytes;

	private int pendingLines;

	private boolean accepted;

	private boolean failed;

	private boolean answered;

	/**
	 * Prepares an upload.
	 * @param body its lines
	 * @param outcomes where the outcomes go
	 * @param intake where the jobs go
	 * @param memory gets the bytes of each job back
	 * @param stopping whether this service stops
	 * @param maxPending lines whose outcomes are not told
	 */
	Upload(RequestBody body, OutcomeWriter outcomes, JobIntake intake, JobMemory memory, BooleanSupplier stopping,
			int maxPending) {
		this.body = body;
		this.outcomes = outcomes;
		this.intake = intake;
		this.memory = memory;
		this.stopping = stopping;
		this.maxPending = maxPending;
	}

	/**
	 * Reads lines until the end of the body, a line that is too slow, a line that Kafka
	 * did not take, or the stop of this service. The last outcome tells which.
	 * @param ids makes the id of a line from its number
	 * @param traceparent the trace that the upload belongs to, if it does
	 * @throws RefusedException when no job has been accepted yet and Kafka takes none:
	 * the whole upload is refused
	 * @throws IOException when the client is gone; what was read by then is published
	 */
	void run(LongFunction<String> ids, @Nullable String traceparent) throws IOException {
		long number = 1;
		while (process(number, ids, traceparent)) {
			number++;
		}
		while (settleOne()) {
			// until none is left
		}
	}

	private boolean process(long number, LongFunction<String> ids, @Nullable String traceparent) throws IOException {
		if (this.stopping.getAsBoolean() || this.failed) {
			enqueue(new UploadLine(number,
					new RefusedException(Reason.STOPPED, (this.failed ? "Kafka does not take jobs" : "Stopping")
							+ ": send this line and all after it again")));
			return false;
		}
		byte[] job;
		try {
			job = this.body.readLine(this::answerPending);
		}
		catch (RefusedException ex) {
			enqueue(new UploadLine(number, ex));
			return ex.reason() != Reason.TOO_SLOW;
		}
		if (job == null) {
			return false;
		}
		enqueue(submit(number, ids.apply(number), job, traceparent));
		return true;
	}

	private UploadLine submit(long number, String id, byte[] job, @Nullable String traceparent) {
		int bytes = job.length;
		try {
			Publisher.Publication publication = this.intake.submit(id, job, traceparent);
			publication.whenDone(() -> this.memory.release(bytes));
			return new UploadLine(number, id, bytes, publication);
		}
		catch (RuntimeException ex) {
			this.memory.release(bytes);
			if (ex instanceof RefusedException refusal) {
				return new UploadLine(number, refusal);
			}
			throw ex;
		}
	}

	private void enqueue(UploadLine line) throws IOException {
		this.pending.add(line);
		this.pendingBytes += line.bytes();
		this.pendingLines += line.weight();
		while ((!this.accepted && !this.outcomes.isCommitted()) || this.pendingLines > this.maxPending
				|| this.pendingBytes > Limits.PENDING_BYTES.count() || line.hasFailed()) {
			if (!settleOne()) {
				return;
			}
		}
	}

	private void answerPending() throws IOException {
		while (!this.body.isAtHand()) {
			if (!settleOne()) {
				if (this.answered) {
					this.outcomes.flush();
				}
				return;
			}
		}
	}

	/**
	 * Tells the outcome of the oldest line.
	 * @return whether there was one
	 */
	private boolean settleOne() throws IOException {
		UploadLine line = this.pending.poll();
		if (line == null) {
			return false;
		}
		RefusedException refusal = line.await();
		this.pendingBytes -= line.bytes();
		this.pendingLines -= line.weight();
		if (refusal == null) {
			this.accepted = true;
			this.outcomes.accepted(line.number(), line.id());
		}
		else {
			refuse(line, refusal);
		}
		this.answered = true;
		return true;
	}

	private void refuse(UploadLine line, RefusedException refusal) throws IOException {
		if (refusal.reason().isTemporary()) {
			if (!this.outcomes.isCommitted() && !this.accepted) {
				throw new RefusedException(refusal.reason(), "Line %d: %s".formatted(line.number(), refusal.detail()));
			}
			this.failed |= (line.publication() != null);
		}
		this.outcomes.refused(line.number(), refusal);
	}

}
