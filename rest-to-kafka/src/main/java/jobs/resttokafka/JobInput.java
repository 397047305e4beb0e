package jobs.resttokafka;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Reads jobs from a request's body, each within its size, its time and the memory that
 * all requests share.
 */
class JobInput {

	private static final int NO_DELIMITER = -1;

	/**
	 * Jobs that are larger leave a quarter of the shared memory to those that are not.
	 */
	static final int SMALL = 8192;

	private final InputStream body;

	private final BooleanSupplier atHand;

	private final RestToKafkaProperties properties;

	private final Semaphore memory;

	private final byte[] chunk = new byte[2048];

	private int position;

	private int end;

	private long start;

	/**
	 * Reads from a body.
	 * @param body of the request
	 * @param atHand whether more of it is here when the stream has none available
	 * @param properties with the bounds
	 * @param memory that all requests share
	 */
	JobInput(InputStream body, BooleanSupplier atHand, RestToKafkaProperties properties, Semaphore memory) {
		this.body = body;
		this.atHand = atHand;
		this.properties = properties;
		this.memory = memory;
	}

	/**
	 * Reads what is left of the body as one job. The caller gives its length back to the
	 * shared memory.
	 * @return the job's bytes
	 * @throws RefusedException 413, 408 or 503
	 * @throws IOException when the client is gone
	 */
	byte[] readJob() throws IOException {
		byte[] job = read(NO_DELIMITER, null);
		return (job != null) ? job : new byte[0];
	}

	/**
	 * Reads one line as a job. The caller gives its length back to the shared memory. A
	 * line that is refused with 413 or 503 has been skipped: the next call reads the
	 * next.
	 * @return the line's bytes without the line feed, or {@code null} at the end
	 * @throws RefusedException 413, 408 or 503
	 * @throws IOException when the client is gone
	 */
	byte @Nullable [] readLine(BeforeWait beforeWait) throws IOException {
		return read('\n', beforeWait);
	}

	/**
	 * Whether the next byte does not have to be waited for.
	 */
	boolean isAtHand() throws IOException {
		return this.position < this.end || this.body.available() > 0 || this.atHand.getAsBoolean();
	}

	private byte @Nullable [] read(int delimiter, @Nullable BeforeWait beforeWait) throws IOException {
		this.start = System.nanoTime();
		ByteArrayOutputStream job = new ByteArrayOutputStream();
		RefusedException refused = null;
		boolean found = false;
		boolean any = false;
		try {
			while (!found && (this.position < this.end || fill(beforeWait))) {
				any = true;
				int from = this.position;
				found = skipTo(delimiter);
				if (refused == null) {
					refused = append(job, from, this.position - from - (found ? 1 : 0));
				}
				if (refused != null && delimiter == NO_DELIMITER) {
					break;
				}
			}
		}
		catch (RefusedException | IOException ex) {
			this.memory.release(job.size());
			throw ex;
		}
		if (refused != null) {
			this.memory.release(job.size());
			throw refused;
		}
		return any ? job.toByteArray() : null;
	}

	private boolean fill(@Nullable BeforeWait beforeWait) throws IOException {
		if (beforeWait != null && !isAtHand()) {
			long before = System.nanoTime();
			beforeWait.run();
			// what is done meanwhile is not the client's time
			this.start += System.nanoTime() - before;
		}
		try {
			this.end = Math.max(0, this.body.read(this.chunk));
		}
		catch (IOException ex) {
			if (NestedExceptionUtils.getMostSpecificCause(ex) instanceof SocketTimeoutException) {
				throw tooSlow();
			}
			throw ex;
		}
		this.position = 0;
		if (System.nanoTime() - this.start > this.properties.bodyTimeout().toNanos()) {
			throw tooSlow();
		}
		return this.end > 0;
	}

	private boolean skipTo(int delimiter) {
		if (delimiter == NO_DELIMITER) {
			this.position = this.end;
		}
		while (this.position < this.end) {
			if (this.chunk[this.position++] == delimiter) {
				return true;
			}
		}
		return false;
	}

	private @Nullable RefusedException append(ByteArrayOutputStream job, int from, int length) {
		int size = job.size() + length;
		if (size > this.properties.maxJobSize().toBytes()) {
			return tooLarge(this.properties);
		}
		long left = this.memory.availablePermits() - length;
		if ((size > SMALL && left < this.properties.maxInFlight().toBytes() / 4) || !this.memory.tryAcquire(length)) {
			return RefusedException.unavailable("Too many jobs in flight");
		}
		job.write(this.chunk, from, length);
		return null;
	}

	private RefusedException tooSlow() {
		Duration timeout = this.properties.bodyTimeout();
		return new RefusedException(408, "The job did not arrive within %d ms".formatted(timeout.toMillis()),
				"Connection", "close");
	}

	static RefusedException tooLarge(RestToKafkaProperties properties) {
		return new RefusedException(413, "A job may have %d bytes".formatted(properties.maxJobSize().toBytes()));
	}

	/**
	 * What is done while the client lets us wait.
	 */
	interface BeforeWait {

		void run() throws IOException;

	}

}
