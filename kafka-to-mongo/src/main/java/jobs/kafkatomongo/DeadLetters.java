package jobs.kafkatomongo;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.kafka.KafkaException;
import org.springframework.kafka.core.KafkaTemplate;

/**
 * The dead-letter topic: each record there has the key, the value and the headers of the
 * original, and headers that tell where it stood and why it can't be stored.
 * <p>
 * Its original position identifies a dead letter. While this process lives, a position is
 * written once; a kill between its acknowledgement and the commit, or a replay of the
 * topic, writes it again.
 */
class DeadLetters {

	private static final Logger logger = LoggerFactory.getLogger(DeadLetters.class);

	private static final int MAX_DETAIL = 1000;

	private static final long TIMEOUT_SECONDS = 30;

	private final KafkaTemplate<byte[], byte[]> kafka;

	private final String topic;

	private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

	DeadLetters(KafkaTemplate<byte[], byte[]> kafka, String topic) {
		this.kafka = kafka;
		this.topic = topic;
	}

	/**
	 * Publishes dead letters and waits until Kafka has them all, for 30 s at most.
	 * Publishing them again after a failure skips those that Kafka has.
	 * @param deadLetters the dead letters
	 * @throws KafkaException when Kafka does not have them all
	 */
	void publish(List<DeadLetter> deadLetters) {
		List<CompletableFuture<?>> sent = new ArrayList<>();
		for (DeadLetter deadLetter : deadLetters) {
			String position = JobParser.position(deadLetter.record());
			if (!this.acknowledged.contains(position)) {
				sent.add(this.kafka.send(toRecord(deadLetter)).thenRun(() -> {
					this.acknowledged.add(position);
					log(deadLetter);
				}));
			}
		}
		await(CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)));
		deadLetters.forEach((deadLetter) -> this.acknowledged.remove(JobParser.position(deadLetter.record())));
	}

	private ProducerRecord<byte[], byte[]> toRecord(DeadLetter deadLetter) {
		ConsumerRecord<byte[], byte[]> original = deadLetter.record();
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(this.topic, null, original.key(), original.value(),
				original.headers());
		put(record.headers(), "dlt-reason", deadLetter.reason());
		put(record.headers(), "dlt-detail",
				deadLetter.detail().substring(0, Math.min(deadLetter.detail().length(), MAX_DETAIL)));
		if (deadLetter.code() != null) {
			put(record.headers(), "dlt-mongodb-code", deadLetter.code());
		}
		put(record.headers(), "dlt-original-topic", original.topic());
		put(record.headers(), "dlt-original-partition", original.partition());
		put(record.headers(), "dlt-original-offset", original.offset());
		put(record.headers(), "dlt-original-timestamp", original.timestamp());
		return record;
	}

	private static void put(Headers headers, String name, Object value) {
		headers.remove(name).add(name, value.toString().getBytes(StandardCharsets.UTF_8));
	}

	private static void log(DeadLetter deadLetter) {
		logger.atWarn()
			.addKeyValue("reason", deadLetter.reason())
			.addKeyValue("position", JobParser.position(deadLetter.record()))
			.log("A record became a dead letter");
	}

	private static void await(CompletableFuture<?> sent) {
		try {
			sent.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new KafkaException("The dead-letter topic does not take a record", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new KafkaException("Interrupted while publishing a dead letter", ex);
		}
	}

}
