package jobs.resttokafka.intake;

import java.util.concurrent.Semaphore;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.resttokafka.limits.Limits;
import jobs.resttokafka.limits.RestToKafkaProperties;

import org.springframework.stereotype.Component;

/** Counts the bytes that all requests share for jobs being read or awaiting Kafka. */
@Component
public class JobMemory {

	private final int size;

	private final Semaphore free;

	JobMemory(RestToKafkaProperties properties, MeterRegistry meters) {
		this.size = Math.toIntExact(properties.maxInFlight().toBytes());
		this.free = new Semaphore(this.size);
		Gauge.builder("jobs.in.flight", () -> this.size - this.free.availablePermits())
			.baseUnit("bytes")
			.description("Jobs that are being read or await Kafka")
			.register(meters);
	}

	/**
	 * Takes bytes if there is room, and returns whether it did. A job that is now above
	 * {@link Limits#SMALL_JOB_BYTES} must leave a quarter of the memory to small jobs.
	 */
	boolean take(int bytes, int jobSize) {
		boolean mustLeave = jobSize > Limits.SMALL_JOB_BYTES && this.free.availablePermits() - bytes < this.size / 4;
		return !mustLeave && this.free.tryAcquire(bytes);
	}

	/** Gives bytes back. */
	void release(int bytes) {
		this.free.release(bytes);
	}

}
