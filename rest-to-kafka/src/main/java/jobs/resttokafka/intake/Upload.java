package jobs.resttokafka.intake;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;

import jobs.resttokafka.limits.Limits;
import jobs.resttokafka.limits.RefusedException;
import jobs.resttokafka.limits.RefusedException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * An NDJSON upload: it publishes many jobs at once and tells an outcome for every line,
 * in order, in constant memory. It holds outcomes back only while more input is at hand,
 * so that a client that waits for them gets them.
 */
class Upload implements RequestBody.Waits {

	private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(Limits.SLOW_LINE_MILLIS);

	private final RequestBody body;

	private final OutcomeWriter outcomes;

	private final JobIntake intake;

	private final BooleanSupplier stopping;

	private final BooleanSupplier placeIsWanted;

	private final int maxPending;

	private final boolean hasKey;

	private final Deque<UploadLine> pending = new ArrayDeque<>();

	private int pendingBytes;

	private int pendingLines;

	private boolean accepted;

	private boolean failed;

	/**
	 * Prepares an upload with at most {@code maxPending} lines without an outcome. While
	 * it is slow, it asks whether another one wants its place, and if so it ends.
	 */
	Upload(RequestBody body, OutcomeWriter outcomes, JobIntake intake, BooleanSupplier stopping,
			BooleanSupplier placeIsWanted, int maxPending, boolean hasKey) {
		this.body = body;
		this.outcomes = outcomes;
		this.intake = intake;
		this.stopping = stopping;
		this.placeIsWanted = placeIsWanted;
		this.maxPending = maxPending;
		this.hasKey = hasKey;
	}

	/**
	 * Reads lines until the body ends, a line is too slow, Kafka takes no more jobs,
	 * another upload wants the place, or this service stops; the last outcome tells
	 * which. Throws RefusedException, for the whole upload, when a temporary refusal
	 * comes before any job was accepted. Throws IOException when the client is gone; what
	 * was read by then is published.
	 */
	void run(LongFunction<String> ids, @Nullable String traceparent) throws IOException {
		long number = 1;
		while (process(number, ids, traceparent)) {
			number++;
		}
		while (settleOne()) {
			// each call settles the oldest line
		}
		this.outcomes.end();
	}

	private boolean process(long number, LongFunction<String> ids, @Nullable String traceparent) throws IOException {
		HeldJob job;
		try {
			requireToGoOn();
			job = this.body.readLine(this);
		}
		catch (RefusedException ex) {
			enqueue(new UploadLine(number, ex));
			return !ex.reason().endsUpload();
		}
		if (job == null) {
			return false;
		}
		enqueue(UploadLine.submit(this.intake, number, ids.apply(number), job, traceparent));
		return true;
	}

	private void enqueue(UploadLine line) throws IOException {
		this.pending.add(line);
		this.pendingBytes += line.bytes();
		this.pendingLines += line.weight();
		while ((!this.accepted && !this.outcomes.isCommitted()) || this.pendingLines > this.maxPending
				|| this.pendingBytes > Limits.PENDING_BYTES || line.hasFailed()) {
			if (!settleOne()) {
				return;
			}
		}
	}

	@Override
	public void beforeClient() throws IOException {
		while (!this.body.isAtHand()) {
			if (!settleOne()) {
				this.outcomes.flush();
				return;
			}
		}
	}

	@Override
	public void afterClient(long nanos) {
		if (nanos > SLOW_NANOS && this.placeIsWanted.getAsBoolean()) {
			throw ended("Other uploads wait for the place of this slow one");
		}
	}

	/**
	 * Settles what is on its way, since that gives memory back, and then gets in line.
	 */
	@Override
	public boolean awaitRoom(HeldJob line, int bytes) throws IOException {
		while (settleOne()) {
			if (!this.failed && line.take(bytes)) {
				return true;
			}
		}
		boolean found = !this.failed && line.awaitRoom(bytes, this.stopping);
		if (!found) {
			requireToGoOn();
		}
		return found;
	}

	private void requireToGoOn() {
		if (this.failed) {
			throw ended("Kafka does not take jobs");
		}
		if (this.stopping.getAsBoolean()) {
			throw ended("Stopping");
		}
	}

	private static RefusedException ended(String why) {
		return new RefusedException(Reason.STOPPED, why);
	}

	/** Tells the outcome of the oldest line, and returns whether there was one. */
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
		return true;
	}

	private void refuse(UploadLine line, RefusedException refusal) throws IOException {
		if (refusal.reason().isTemporary()) {
			if (!this.outcomes.isCommitted() && !this.accepted) {
				throw new RefusedException(refusal.reason(), "Line %d: %s".formatted(line.number(), refusal.detail()));
			}
			this.failed |= (line.publication() != null);
		}
		this.outcomes.refused(line.number(), refusal.reason().endsUpload() ? withAdvice(refusal) : refusal);
	}

	/**
	 * Says what to send again. With a key, the ids come from the numbers of the lines.
	 */
	private RefusedException withAdvice(RefusedException refusal) {
		String again = this.hasKey ? "the whole upload again, with the same Idempotency-Key"
				: "this line and all after it again";
		return new RefusedException(refusal.reason(), refusal.detail() + ": send " + again);
	}

}
