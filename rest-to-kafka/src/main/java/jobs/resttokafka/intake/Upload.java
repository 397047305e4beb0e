package jobs.resttokafka.intake;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

import jobs.resttokafka.RefusedException;
import jobs.resttokafka.intake.Uploads.Terms;
import jobs.resttokafka.publish.Origin;
import org.jspecify.annotations.Nullable;

/**
 * An NDJSON upload: it publishes many documents at once and tells an outcome for every
 * line, in order, in constant memory. It holds outcomes back only while more input is at
 * hand, so that a client that waits for them gets them.
 */
class Upload implements RequestBody.Waits {

	/**
	 * Milliseconds that a client takes for a line, after which its upload ends when
	 * another waits for a place.
	 */
	private static final int SLOW_LINE_MILLIS = 500;

	/** Bytes of an upload's lines without an outcome. */
	static final int PENDING_BYTES = 2 * 1024 * 1024;

	/** Wait of an upload that is ahead of its client's allowance; beyond: it ends. */
	private static final Duration PACE = Duration.ofSeconds(60);

	private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(SLOW_LINE_MILLIS);

	private final RequestBody body;

	private final Uploads.OutcomeWriter outcomes;

	private final DocumentIntake intake;

	private final Terms terms;

	private final Deque<UploadLine> pending = new ArrayDeque<>();

	private int pendingBytes;

	private int pendingLines;

	private boolean accepted;

	private boolean failed;

	/**
	 * Prepares an upload. While it is slow, it asks whether another one wants its place,
	 * and if so it ends.
	 */
	Upload(RequestBody body, Uploads.OutcomeWriter outcomes, DocumentIntake intake, Terms terms) {
		this.body = body;
		this.outcomes = outcomes;
		this.intake = intake;
		this.terms = terms;
	}

	/**
	 * Reads lines until the body ends, a line is too slow, Kafka takes no more documents,
	 * another upload wants the place, or this service stops; the last outcome tells
	 * which. Throws RefusedException, for the whole upload, when a temporary refusal
	 * comes before any document was accepted. Throws IOException when the client is gone;
	 * what was read by then is published.
	 */
	void run(LongFunction<@Nullable String> ids, Origin origin) throws IOException {
		long number = 1;
		while (process(number, ids, origin)) {
			number++;
		}
		while (settleOne()) {
			// each call settles the oldest line
		}
		this.outcomes.end();
	}

	private boolean process(long number, LongFunction<@Nullable String> ids, Origin origin) throws IOException {
		HeldDocument document;
		try {
			requireToGoOn();
			pace();
			document = this.body.readLine(this);
		}
		catch (RefusedException ex) {
			enqueue(new UploadLine(number, ex));
			this.terms.rateLimit().takeDocument();
			return !ex.reason().endsUpload();
		}
		if (document == null) {
			return false;
		}
		this.terms.rateLimit().takeDocument();
		enqueue(UploadLine.submit(this.intake, this.body.resource(), number, ids.apply(number), document, origin));
		return true;
	}

	/** Reads nothing while the client is ahead of its rate limit, which slows it down. */
	private void pace() throws IOException {
		if (this.terms.rateLimit().nanosToWait() > 0) {
			while (settleOne()) {
				// the client learns what has become of its lines
			}
			this.outcomes.flush();
			long start = System.nanoTime();
			this.terms.rateLimit().await(() -> {
				requireToGoOn();
				long nanos = System.nanoTime() - start;
				yieldIfSlow(nanos);
				if (nanos > PACE.toNanos() || Thread.currentThread().isInterrupted()) {
					throw RefusedException.stopped("This client has sent more than it may for now");
				}
			});
		}
	}

	private void enqueue(UploadLine line) throws IOException {
		this.pending.add(line);
		this.pendingBytes += line.bytes();
		this.pendingLines += line.weight();
		while ((!this.accepted && !this.outcomes.isCommitted()) || this.pendingLines > this.terms.maxPending()
				|| this.pendingBytes > PENDING_BYTES || line.hasFailed()) {
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
	public void afterClient(long nanos, int bytes, boolean skipping) throws IOException {
		yieldIfSlow(nanos);
		if (skipping) {
			// else the line is read to its end: it holds memory that others wait for
			pace();
		}
		this.terms.rateLimit().takeBytes(bytes);
	}

	private void yieldIfSlow(long nanos) {
		if (nanos > SLOW_NANOS && this.terms.placeIsWanted().getAsBoolean()) {
			throw RefusedException.stopped("Other uploads wait for the place of this slow one");
		}
	}

	/** Settles what is on its way, which gives memory back, and then gets in line. */
	@Override
	public boolean awaitRoom(DocumentMemory.Lease line, int bytes) throws IOException {
		while (settleOne()) {
			if (!this.failed && line.take(bytes)) {
				return true;
			}
		}
		boolean found = !this.failed && line.await(bytes, this.terms::haveEnded);
		if (!found) {
			requireToGoOn();
		}
		return found;
	}

	private void requireToGoOn() {
		if (this.failed) {
			throw RefusedException.stopped("Kafka does not take %ss".formatted(this.body.resource().noun()));
		}
		this.terms.requireToGoOn();
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
		this.outcomes.refused(line.number(),
				refusal.reason().endsUpload() ? UploadLine.withAdvice(refusal, this.terms.hasKey()) : refusal);
	}

}
