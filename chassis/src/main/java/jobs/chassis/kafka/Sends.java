package jobs.chassis.kafka;

import java.util.concurrent.CompletableFuture;

import org.apache.kafka.clients.producer.ProducerRecord;

import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.SendResult;

/**
 * Sends records.
 */
public final class Sends {

	private Sends() {
	}

	/**
	 * Sends a record. A template fails in two ways, by throwing and through its future;
	 * this makes them one.
	 * @param <K> the type of the key
	 * @param <V> the type of the value
	 * @param kafka the template
	 * @param record the record
	 * @return where the record stands, once Kafka has it, or why it does not
	 */
	public static <K, V> CompletableFuture<SendResult<K, V>> send(KafkaTemplate<K, V> kafka,
			ProducerRecord<K, V> record) {
		try {
			return kafka.send(record);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
