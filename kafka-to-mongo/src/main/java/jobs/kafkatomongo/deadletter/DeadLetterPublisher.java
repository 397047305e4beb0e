package jobs.kafkatomongo.deadletter;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.chassis.kafka.Sends;
import jobs.kafkatomongo.document.RecordTraces;
import jobs.kafkatomongo.limits.KafkaToMongoProperties;
import jobs.kafkatomongo.limits.Limits;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.SendResult;
import org.springframework.stereotype.Component;

/**
 * Publishes dead letters to their topic.
 * <p>
 * Its original position identifies a dead letter. While a consumer tries a batch again, a
 * position is not written again; a kill between its acknowledgement and the commit, a
 * rebalance or a replay of the topic writes it again.
 */
@Component
public class DeadLetterPublisher {

	private static final Logger logger = LoggerFactory.getLogger(DeadLetterPublisher.class);

	private final KafkaTemplate<byte[], byte[]> kafka;

	private final String topic;

	private final MeterRegistry meters;

	/**
	 * Positions of the batch in hand that Kafka has; each consumer has its own thread.
	 */
	private final ThreadLocal<Set<String>> acknowledged = ThreadLocal.withInitial(ConcurrentHashMap::newKeySet);

	DeadLetterPublisher(KafkaTemplate<byte[], byte[]> kafka, KafkaToMongoProperties properties, MeterRegistry meters) {
		this.kafka = kafka;
		this.topic = properties.deadLetterTopic();
		this.meters = meters;
		for (DeadLetter.Reason reason : DeadLetter.Reason.values()) {
			counter(reason);
		}
	}

	private Counter counter(DeadLetter.Reason reason) {
		return Counter.builder("jobs.dead.letters")
			.description("Records that were published as dead letters")
			.tag("reason", reason.toString())
			.register(this.meters);
	}

	/**
	 * Publishes dead letters and waits until Kafka has them all, for
	 * {@link Limits#DEAD_LETTERS_ACKNOWLEDGEMENT} at most and what the producer takes to
	 * refuse one at once. Publishing them again after a failure skips those that Kafka
	 * has.
	 * @param deadLetters the dead letters
	 * @throws KafkaException when Kafka does not have them all
	 */
	public void publish(List<DeadLetter> deadLetters) {
		Set<String> acknowledged = this.acknowledged.get();
		acknowledged.retainAll(deadLetters.stream().map(DeadLetter::position).toList());
		List<CompletableFuture<?>> sent = new ArrayList<>();
		for (DeadLetter deadLetter : deadLetters) {
			if (!acknowledged.contains(deadLetter.position())) {
				CompletableFuture<?> one = send(new DeadLetterRecord(this.topic, deadLetter)).thenRun(() -> {
					acknowledged.add(deadLetter.position());
					counter(deadLetter.reason()).increment();
					log(deadLetter);
				});
				sent.add(one);
				if (one.isCompletedExceptionally()) {
					// the next would be waited for as long, one after the other
					break;
				}
			}
		}
		await(CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)));
		// a topic that is deleted and created again has the same positions
		acknowledged.clear();
	}

	/**
	 * Sends a dead letter, without its value, or its key and headers, too, where it is
	 * too large for the topic: it would wait, and all behind it, for ever.
	 */
	private CompletableFuture<SendResult<byte[], byte[]>> send(DeadLetterRecord record) {
		CompletableFuture<SendResult<byte[], byte[]>> sent = Sends.send(this.kafka, record.whole());
		if (sent.isCompletedExceptionally() && !isTooLarge(sent.exceptionNow())) {
			// known at once, so that publish stops here
			return sent;
		}
		return orIfTooLarge(orIfTooLarge(sent, record::withoutValue), record::bare);
	}

	private CompletableFuture<SendResult<byte[], byte[]>> orIfTooLarge(
			CompletableFuture<SendResult<byte[], byte[]>> sent, Supplier<ProducerRecord<byte[], byte[]>> smaller) {
		return sent.exceptionallyComposeAsync((failure) -> isTooLarge(failure) ? Sends.send(this.kafka, smaller.get())
				: CompletableFuture.failedFuture(failure), Thread::startVirtualThread);
	}

	/**
	 * Whether a record was too large for its topic.
	 * @param failure what became of it
	 */
	public static boolean isTooLarge(Throwable failure) {
		return NestedExceptionUtils.getMostSpecificCause(failure) instanceof RecordTooLargeException;
	}

	private static void log(DeadLetter deadLetter) {
		RecordTraces.name(logger.atWarn(), List.of(deadLetter.record()))
			.addKeyValue("reason", deadLetter.reason())
			.addKeyValue("position", deadLetter.position())
			.log("A record became a dead letter");
	}

	private static void await(CompletableFuture<?> sent) {
		try {
			sent.get(Limits.DEAD_LETTERS_ACKNOWLEDGEMENT.time().toSeconds(), TimeUnit.SECONDS);
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
