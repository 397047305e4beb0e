package jobs.chassis.kafka;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.core.ProducerFactory;

/**
 * Sends records so that no wait is without a bound, and each failure arrives in one way.
 * The producer is made in a thread of its own: the look-up of a broker's name can take a
 * minute, and can't be interrupted. It is made again where that failed, or where it was
 * closed because it sent nothing. A KafkaTemplate would look for an observation of each
 * record, which takes a tenth of the CPU of an upload (measured).
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class Sender<K, V> {

	private final ProducerFactory<K, V> kafka;

	private final long patienceNanos;

	private volatile CompletableFuture<Producer<K, V>> producer = CompletableFuture
		.failedFuture(new IllegalStateException());

	/**
	 * Makes a sender; records wait {@code patience} at most until the producer is made.
	 */
	public Sender(ProducerFactory<K, V> kafka, Duration patience) {
		this.kafka = kafka;
		this.patienceNanos = patience.toNanos();
	}

	/** Makes the producer if there is none, and none is being made. */
	public synchronized void makeProducer() {
		if (this.producer.isCompletedExceptionally()) {
			this.producer = CompletableFuture.supplyAsync(this.kafka::createProducer,
					(task) -> Thread.ofPlatform().daemon().name("make-producer").start(task));
		}
	}

	/** Sends a record; the future fails where {@link Producer#send} would throw. */
	public CompletableFuture<RecordMetadata> send(ProducerRecord<K, V> record) {
		CompletableFuture<RecordMetadata> sent = new CompletableFuture<>();
		send(record, (metadata, failure) -> {
			if (failure == null) {
				sent.complete(metadata);
			}
			else {
				sent.completeExceptionally(failure);
			}
		});
		return sent;
	}

	/**
	 * Sends a record, and calls back once, also where {@link Producer#send} would throw.
	 * It waits for the producer to be made, once more where it was closed, and for
	 * {@code max.block.ms}.
	 */
	public void send(ProducerRecord<K, V> record, Callback callback) {
		CompletableFuture<Producer<K, V>> current = current();
		Exception failure = send(current, record, callback);
		if (failure instanceof IllegalStateException) {
			forget(current);
			failure = send(current(), record, callback);
		}
		if (failure != null) {
			callback.onCompletion(null, failure);
		}
	}

	private CompletableFuture<Producer<K, V>> current() {
		if (this.producer.isCompletedExceptionally()) {
			makeProducer();
		}
		return this.producer;
	}

	/** Forgets one that was closed, unless another has done so. */
	private synchronized void forget(CompletableFuture<Producer<K, V>> closed) {
		if (this.producer == closed) {
			this.producer = CompletableFuture.failedFuture(new IllegalStateException());
		}
	}

	private @Nullable Exception send(CompletableFuture<Producer<K, V>> producer, ProducerRecord<K, V> record,
			Callback callback) {
		try {
			producer.get(this.patienceNanos, TimeUnit.NANOSECONDS).send(record, callback);
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

	/** Whether a record was too large for its topic, given what became of it. */
	public static boolean isTooLarge(Throwable failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		// the latter is what a broker says whose segments are smaller than the record
		return cause instanceof RecordTooLargeException || cause instanceof RecordBatchTooLargeException;
	}

}
