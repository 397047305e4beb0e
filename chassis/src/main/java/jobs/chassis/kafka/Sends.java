package jobs.chassis.kafka;

import java.util.concurrent.CompletableFuture;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.SendResult;

/** Sends records so that every failure arrives through the future. */
public final class Sends {

	private Sends() {
	}

	/** Sends a record; the future fails where {@link KafkaTemplate#send} would throw. */
	public static <K, V> CompletableFuture<SendResult<K, V>> send(KafkaTemplate<K, V> kafka,
			ProducerRecord<K, V> record) {
		try {
			return kafka.send(record);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** Whether a record was too large for its topic, given what became of it. */
	public static boolean isTooLarge(Throwable failure) {
		return NestedExceptionUtils.getMostSpecificCause(failure) instanceof RecordTooLargeException;
	}

}
