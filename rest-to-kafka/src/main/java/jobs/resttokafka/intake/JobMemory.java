package jobs.resttokafka.intake;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.resttokafka.limits.Limits;
import jobs.resttokafka.limits.RestToKafkaProperties;

import org.springframework.stereotype.Component;

/**
 * Counts the bytes that all requests share for jobs being read or awaiting Kafka. A
 * single job is refused at once where there is no room, and a line of an upload waits.
 */
@Component
public class JobMemory {

	private final int size;

	/**
	 * Bytes of uploads in the upper half, and bytes of single jobs in the lower, so that
	 * one operation looks at both.
	 */
	private final AtomicLong held = new AtomicLong();

	private final AtomicInteger beyond = new AtomicInteger();

	private final RoomQueue queue;

	JobMemory(RestToKafkaProperties properties, MeterRegistry meters) {
		this.size = Math.toIntExact(properties.maxInFlight().toBytes());
		this.queue = new RoomQueue(properties.publishTimeout());
		Gauge
			.builder("jobs.in.flight",
					() -> ofUploads(this.held.get()) + ofSingles(this.held.get()) + this.beyond.get())
			.baseUnit("bytes")
			.description("Jobs that are being read or await Kafka")
			.register(meters);
	}

	/**
	 * Takes bytes for a single job if there is room, and returns whether it did. A job
	 * that is now above {@link Limits#SMALL_JOB_BYTES} must leave a quarter of what
	 * uploads don't hold to small jobs.
	 */
	boolean takeForSingle(int bytes, int jobSize) {
		while (true) {
			long now = this.held.get();
			int mustLeave = (jobSize > Limits.SMALL_JOB_BYTES) ? (this.size - ofUploads(now)) / 4 : 0;
			if (free(now) - bytes < mustLeave) {
				return false;
			}
			if (this.held.compareAndSet(now, now + bytes)) {
				return true;
			}
		}
	}

	/**
	 * Takes bytes for a line of an upload if there is room, and returns whether it did.
	 * It must leave a quarter of the memory to single jobs.
	 */
	boolean takeForUpload(int bytes) {
		while (true) {
			long now = this.held.get();
			if (free(now) - bytes < this.size / 4) {
				return false;
			}
			if (this.held.compareAndSet(now, now + upper(bytes))) {
				return true;
			}
		}
	}

	/** Waits until a line has room for its next bytes, as {@link RoomQueue#await}. */
	boolean await(HeldJob line, int bytes, BooleanSupplier stopping) {
		return this.queue.await(line, bytes, stopping);
	}

	/** Takes bytes for the one line that may go beyond. */
	void takeBeyond(int bytes) {
		this.beyond.addAndGet(bytes);
	}

	void releaseOfSingle(int bytes) {
		this.held.addAndGet(-bytes);
		this.queue.released();
	}

	void releaseOfUpload(int bytes) {
		this.held.addAndGet(-upper(bytes));
		this.queue.released();
	}

	/** Gives back what a line has beyond: another one may go there. */
	void releaseBeyond(int bytes) {
		this.beyond.addAndGet(-bytes);
		this.queue.releasedBeyond();
	}

	private int free(long now) {
		return this.size - ofUploads(now) - ofSingles(now);
	}

	private static long upper(int bytes) {
		return (long) bytes << Integer.SIZE;
	}

	private static int ofUploads(long now) {
		return (int) (now >>> Integer.SIZE);
	}

	private static int ofSingles(long now) {
		return (int) now;
	}

}
