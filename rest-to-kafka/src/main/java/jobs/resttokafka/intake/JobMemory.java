package jobs.resttokafka.intake;

import java.util.concurrent.Semaphore;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.resttokafka.limits.Limits;
import jobs.resttokafka.limits.RestToKafkaProperties;

import org.springframework.stereotype.Component;

/**
 * The memory that all requests share for jobs that are being read or await Kafka, counted
 * in bytes.
 */
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
	 * Takes some bytes, if there is room. A large job must leave a quarter to small ones.
	 * @param bytes how many more
	 * @param jobSize the size of the job with them
	 * @return whether they were taken; the caller gives them back
	 */
	boolean take(int bytes, int jobSize) {
		boolean mustLeave = jobSize > Limits.SMALL_JOB.count() && this.free.availablePermits() - bytes < this.size / 4;
		return !mustLeave && this.free.tryAcquire(bytes);
	}

	/**
	 * Gives bytes back.
	 * @param bytes how many
	 */
	public void release(int bytes) {
		this.free.release(bytes);
	}

}
