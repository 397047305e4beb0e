package jobs.resttokafka.publish;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import jobs.resttokafka.limits.Limits;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

import org.springframework.kafka.core.ProducerFactory;

/**
 * The producer of jobs, which is made in a thread of its own: the look-up of a broker's
 * name can take a minute, and can't be interrupted. It is made again where that failed,
 * or where it was closed because it sent nothing. A KafkaTemplate would look for an
 * observation of each record, which takes a tenth of the CPU of an upload (measured).
 */
final class JobProducer {

	private final ProducerFactory<String, byte[]> kafka;

	private volatile CompletableFuture<Producer<String, byte[]>> producer = CompletableFuture
		.failedFuture(new IllegalStateException());

	JobProducer(ProducerFactory<String, byte[]> kafka) {
		this.kafka = kafka;
	}

	/** Makes it if there is none, and none is being made. */
	synchronized void make() {
		if (this.producer.isCompletedExceptionally()) {
			this.producer = CompletableFuture.supplyAsync(this.kafka::createProducer,
					(task) -> Thread.ofPlatform().daemon().name("make-producer").start(task));
		}
	}

	/**
	 * Sends a record, and calls back once, also where the producer would throw. It waits
	 * twice for {@link Limits#PRODUCER_MILLIS} at most, and for {@code max.block.ms}.
	 */
	void send(ProducerRecord<String, byte[]> record, Callback callback) {
		CompletableFuture<Producer<String, byte[]>> current = current();
		Exception failure = send(current, record, callback);
		if (failure instanceof IllegalStateException) {
			forget(current);
			failure = send(current(), record, callback);
		}
		if (failure != null) {
			callback.onCompletion(null, failure);
		}
	}

	private CompletableFuture<Producer<String, byte[]>> current() {
		if (this.producer.isCompletedExceptionally()) {
			make();
		}
		return this.producer;
	}

	/** Forgets one that was closed, unless another has done so. */
	private synchronized void forget(CompletableFuture<Producer<String, byte[]>> closed) {
		if (this.producer == closed) {
			this.producer = CompletableFuture.failedFuture(new IllegalStateException());
		}
	}

	private static @Nullable Exception send(CompletableFuture<Producer<String, byte[]>> producer,
			ProducerRecord<String, byte[]> record, Callback callback) {
		try {
			producer.get(Limits.PRODUCER_MILLIS, TimeUnit.MILLISECONDS).send(record, callback);
			return null;
		}
		catch (TimeoutException | ExecutionException | RuntimeException ex) {
			return ex;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return ex;
		}
	}

}
