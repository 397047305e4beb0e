package jobs.kafkatomongo.deadletter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.chassis.kafka.Sender;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.deadletter.DeadLetterCodec.Form;
import jobs.kafkatomongo.document.RecordTraces;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.kafka.KafkaException;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.stereotype.Component;

/**
 * Publishes dead letters to their topic, each identified by its original position.
 * <p>
 * Retries of a batch skip the positions that Kafka has. A kill before the commit, a
 * rebalance or a replay of the documents' topic writes a position again.
 */
@Component
public class DeadLetterPublisher {

	/** Wait for Kafka to acknowledge the dead letters of a batch. */
	private static final Duration DEAD_LETTERS_ACKNOWLEDGEMENT = Duration.ofSeconds(30);

	private static final Logger logger = LoggerFactory.getLogger(DeadLetterPublisher.class);

	private final Sender<byte[], byte[]> sender;

	private final String topic;

	private final MeterRegistry meters;

	/** The records of the current batch that Kafka has; each consumer has a thread. */
	private final ThreadLocal<Set<String>> acknowledged = ThreadLocal.withInitial(ConcurrentHashMap::newKeySet);

	DeadLetterPublisher(ProducerFactory<byte[], byte[]> kafka, Resource resource, MeterRegistry meters) {
		this.sender = new Sender<>(kafka, DEAD_LETTERS_ACKNOWLEDGEMENT);
		this.topic = resource.deadLetterTopic();
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
	 * Publishes dead letters and waits until Kafka has all of them. Throws KafkaException
	 * after {@link #DEAD_LETTERS_ACKNOWLEDGEMENT}, plus the time that the producer takes
	 * to refuse a record. A further call skips those that Kafka has.
	 */
	public void publish(List<DeadLetter> deadLetters) {
		Set<String> acknowledged = this.acknowledged.get();
		acknowledged.retainAll(deadLetters.stream().map(DeadLetter::identity).toList());
		List<CompletableFuture<?>> sent = new ArrayList<>();
		for (DeadLetter deadLetter : deadLetters) {
			if (!acknowledged.contains(deadLetter.identity())) {
				CompletableFuture<?> one = send(deadLetter).thenRun(() -> {
					acknowledged.add(deadLetter.identity());
					counter(deadLetter.reason()).increment();
					log(deadLetter);
				});
				sent.add(one);
				if (one.isCompletedExceptionally()) {
					// each further send would block as long as this one
					break;
				}
			}
		}
		await(CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)));
		acknowledged.clear();
	}

	/**
	 * Sends a dead letter in the largest form that the topic takes. A record that is too
	 * large for the topic would hold up all later ones for ever.
	 */
	private CompletableFuture<RecordMetadata> send(DeadLetter deadLetter) {
		CompletableFuture<RecordMetadata> sent = send(deadLetter, Form.WHOLE);
		if (sent.isCompletedExceptionally() && !Sender.isTooLarge(sent.exceptionNow())) {
			// a future that has failed by now lets publish stop
			return sent;
		}
		return orIfTooLarge(orIfTooLarge(sent, deadLetter, Form.WITHOUT_VALUE), deadLetter, Form.BARE);
	}

	private CompletableFuture<RecordMetadata> orIfTooLarge(CompletableFuture<RecordMetadata> sent,
			DeadLetter deadLetter, Form smaller) {
		return sent.exceptionallyComposeAsync((failure) -> Sender.isTooLarge(failure) ? send(deadLetter, smaller)
				: CompletableFuture.failedFuture(failure), Thread::startVirtualThread);
	}

	private CompletableFuture<RecordMetadata> send(DeadLetter deadLetter, Form form) {
		return this.sender.send(DeadLetterCodec.toRecord(this.topic, deadLetter, form));
	}

	private static void log(DeadLetter deadLetter) {
		RecordTraces.name(logger.atWarn(), List.of(deadLetter.record()))
			.addKeyValue("reason", deadLetter.reason())
			.addKeyValue("position", deadLetter.position())
			.log("A record became a dead letter");
	}

	private static void await(CompletableFuture<?> sent) {
		try {
			sent.get(DEAD_LETTERS_ACKNOWLEDGEMENT.toSeconds(), TimeUnit.SECONDS);
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
