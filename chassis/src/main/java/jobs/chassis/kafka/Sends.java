package jobs.chassis.kafka;

import java.util.concurrent.CompletableFuture;

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
		try {
			kafka.createProducer().send(record, (metadata, failure) -> {
				if (failure == null) {
					sent.complete(metadata);
				}
				else {
					sent.completeExceptionally(failure);
				}
			});
		}
		catch (RuntimeException ex) {
			sent.completeExceptionally(ex);
		}
		return sent;
	}

	/** Whether a record was too large for its topic, given what became of it. */
	public static boolean isTooLarge(Throwable failure) {
		return NestedExceptionUtils.getMostSpecificCause(failure) instanceof RecordTooLargeException;
	}

}
