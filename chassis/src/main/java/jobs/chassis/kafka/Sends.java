package jobs.chassis.kafka;

import java.util.concurrent.CompletableFuture;

import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.core.ProducerFactory;

/** Sends records so that every failure arrives in one way. */
public final class Sends {

	private Sends() {
	}

	/** Sends a record; the future fails where {@link Producer#send} would throw. */
	public static <K, V> CompletableFuture<RecordMetadata> send(ProducerFactory<K, V> kafka,
			ProducerRecord<K, V> record) {
		CompletableFuture<RecordMetadata> sent = new CompletableFuture<>();
		send(kafka, record, (metadata, failure) -> {
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
	 * A KafkaTemplate would look for an observation of each record, which takes a tenth
	 * of the CPU of an upload (measured).
	 */
	public static <K, V> void send(ProducerFactory<K, V> kafka, ProducerRecord<K, V> record, Callback callback) {
		try {
			kafka.createProducer().send(record, callback);
		}
		catch (RuntimeException ex) {
			callback.onCompletion(null, ex);
		}
	}

	/** Whether a record was too large for its topic, given what became of it. */
	public static boolean isTooLarge(Throwable failure) {
		return NestedExceptionUtils.getMostSpecificCause(failure) instanceof RecordTooLargeException;
	}

}
