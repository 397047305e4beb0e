package jobs.resttokafka;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * An NDJSON upload: many jobs on their way at once, an outcome for every line in the
 * order of the lines, in constant memory. Outcomes are held back only while more input is
 * at hand, so that a client that waits for them gets them.
 */
class Upload {

	/** Lines, and errors of bad ones, whose outcomes are not written. */
	private static final int MAX_PENDING = 256;

	/** The same for an upload that may: Kafka is not waited for all the time. */
	private static final int MAX_PENDING_WIDE = 1024;

	private static final int MAX_BYTES = 2 * 1024 * 1024;

	private static final JsonMapper JSON = new JsonMapper();

	private final JobInput input;

	private final HttpServletResponse response;

	private final Semaphore memory;

	private final Semaphore wide;

	private final BooleanSupplier stopping;

	private final Submission submission;

	private final JobMetrics metrics;

	private final Deque<Line> pending = new ArrayDeque<>();

	private int maxPending = MAX_PENDING;

	private int pendingBytes;

	private int pendingLines;

	private boolean accepted;

	private boolean failed;

	private boolean answered;

	/**
	 * Prepares an upload.
	 * @param input its lines
	 * @param response where the outcomes go
	 * @param memory that all requests share
	 * @param wide as many uploads as may have four times as many lines on their way
	 * @param stopping whether this service stops
	 * @param submission checks and publishes a line
	 * @param metrics counts its lines
	 */
	Upload(JobInput input, HttpServletResponse response, Semaphore memory, Semaphore wide, BooleanSupplier stopping,
			Submission submission, JobMetrics metrics) {
		this.input = input;
		this.response = response;
		this.memory = memory;
		this.wide = wide;
		this.stopping = stopping;
		this.submission = submission;
		this.metrics = metrics;
	}

	/**
	 * Reads lines until the end of the body, a line that is too slow, a line that Kafka
	 * did not take, or the stop of this service, of which the last outcome tells.
	 * @param key the {@code Idempotency-Key} of the whole upload
	 * @throws RefusedException 503 when no job has been accepted yet and Kafka takes
	 * none: the whole upload is refused
	 * @throws IOException when the client is gone; what was read by then is published
	 */
	void run(@Nullable String key) throws IOException {
		boolean isWide = this.wide.tryAcquire();
		this.maxPending = isWide ? MAX_PENDING_WIDE : MAX_PENDING;
		try {
			long number = 1;
			while (process(key, number)) {
				number++;
			}
			settleAll();
		}
		finally {
			this.wide.release(isWide ? 1 : 0);
		}
	}

	private boolean process(@Nullable String key, long number) throws IOException {
		if (this.stopping.getAsBoolean() || this.failed) {
			enqueue(new Line(number,
					RefusedException.unavailable((this.failed ? "Kafka does not take jobs" : "Stopping")
							+ ": send this line and all after it again")));
			return false;
		}
		byte[] job;
		try {
			job = this.input.readLine(this::answerPending);
		}
		catch (RefusedException ex) {
			enqueue(new Line(number, ex));
			return ex.problem().status() != HttpServletResponse.SC_REQUEST_TIMEOUT;
		}
		if (job == null) {
			return false;
		}
		enqueue(submit(key, number, job));
		return true;
	}

	private Line submit(@Nullable String key, long number, byte[] job) {
		int bytes = job.length;
		try {
			Line line = this.submission.submit(key, number, job);
			line.whenDone(() -> this.memory.release(bytes));
			return line;
		}
		catch (RuntimeException ex) {
			this.memory.release(bytes);
			if (ex instanceof RefusedException refused) {
				return new Line(number, refused);
			}
			throw ex;
		}
	}

	private void enqueue(Line line) throws IOException {
		this.pending.add(line);
		this.pendingBytes += line.bytes();
		this.pendingLines += line.lines();
		while ((!this.accepted && !this.response.isCommitted()) || this.pendingLines > this.maxPending
				|| this.pendingBytes > MAX_BYTES || line.hasFailed()) {
			if (!settleOne()) {
				return;
			}
		}
	}

	private void answerPending() throws IOException {
		while (!this.input.isAtHand()) {
			if (!settleOne()) {
				if (this.answered) {
					this.response.flushBuffer();
				}
				return;
			}
		}
	}

	private void settleAll() throws IOException {
		while (settleOne()) {
			// until none is left
		}
	}

	private boolean settleOne() throws IOException {
		Line line = this.pending.poll();
		if (line == null) {
			return false;
		}
		Outcome outcome = line.outcome();
		this.pendingBytes -= line.bytes();
		this.pendingLines -= line.lines();
		this.accepted |= (outcome.status() == HttpServletResponse.SC_ACCEPTED);
		if (outcome.status() == HttpServletResponse.SC_SERVICE_UNAVAILABLE) {
			if (!this.response.isCommitted() && !this.accepted) {
				throw RefusedException.unavailable("Line %d: %s".formatted(outcome.line(), outcome.detail()));
			}
			this.failed |= (line.publication() != null);
		}
		this.response.getOutputStream().write(JSON.writeValueAsBytes(outcome));
		this.response.getOutputStream().write('\n');
		this.answered = true;
		this.metrics.line(outcome.status());
		return true;
	}

	/**
	 * Checks a line and hands it to Kafka.
	 */
	interface Submission {

		Line submit(@Nullable String key, long number, byte[] job);

	}

	/**
	 * A line that was read.
	 *
	 * @param number its number, from 1
	 * @param id the job's id
	 * @param bytes the size of the job, if it was no bad line
	 * @param publication the job on its way, if it was no bad line
	 * @param refused why it was a bad line
	 */
	record Line(long number, @Nullable String id, int bytes, Publisher.@Nullable Publication publication,
			@Nullable RefusedException refused) {

		Line(long number, String id, int bytes, Publisher.Publication publication) {
			this(number, id, bytes, publication, null);
		}

		Line(long number, RefusedException refused) {
			this(number, null, 0, null, refused);
		}

		int lines() {
			return 1 + ((this.refused != null) ? this.refused.problem().errors().size() : 0);
		}

		void whenDone(Runnable action) {
			if (this.publication != null) {
				this.publication.whenDone(action);
			}
		}

		/**
		 * Whether Kafka's client did not even take it: the next would wait as long, so
		 * what came of this one is looked at first.
		 */
		boolean hasFailed() {
			return this.publication != null && this.publication.hasFailed();
		}

		Outcome outcome() {
			RefusedException refusal = this.refused;
			if (this.publication != null) {
				try {
					this.publication.await();
				}
				catch (RefusedException ex) {
					refusal = ex;
				}
			}
			if (refusal == null) {
				return new Outcome(this.number, HttpServletResponse.SC_ACCEPTED, this.id, null, List.of());
			}
			Problem problem = refusal.problem();
			return new Outcome(this.number, problem.status(), null, problem.detail(), problem.errors());
		}

	}

	/**
	 * What became of a line, as it is written to the client.
	 */
	@JsonInclude(JsonInclude.Include.NON_EMPTY)
	@JsonPropertyOrder({ "line", "status", "id", "detail", "errors" })
	record Outcome(long line, int status, @Nullable String id, @Nullable String detail,
			List<Problem.Violation> errors) {

	}

}
