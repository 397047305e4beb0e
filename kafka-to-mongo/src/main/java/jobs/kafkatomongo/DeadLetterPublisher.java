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
import java.util.function.Supplier;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.SendResult;

/**
 * The dead-letter topic: each record there has the key, the value and the headers of the
 * original, and headers that tell where it stood and why it can't be stored.
 * <p>
 * Its original position identifies a dead letter. While a consumer tries a batch again, a
 * position is not written again; a kill between its acknowledgement and the commit, a
 * rebalance or a replay of the topic writes it again.
 */
class DeadLetterPublisher {

	private static final Logger logger = LoggerFactory.getLogger(DeadLetterPublisher.class);

	/** Starts the names of the headers that tell why and where. */
	static final String HEADER = "dlt-";

	private static final long TIMEOUT_SECONDS = 30;

	private static final int MAX_POINTERS = 20;

	/** Characters; names in a job may be of any length. */
	private static final int MAX_POINTERS_SIZE = 4000;

	private static final JsonMapper JSON = new JsonMapper();

	/** Bytes of a key that is kept whatever is left out; ids are shorter. */
	static final int MAX_KEY = 64 * 1024;

	private final KafkaTemplate<byte[], byte[]> kafka;

	private final String topic;

	private final JobMetrics metrics;

	/**
	 * Positions of the batch in hand that Kafka has; each consumer has its own thread.
	 */
	private final ThreadLocal<Set<String>> acknowledged = ThreadLocal.withInitial(ConcurrentHashMap::newKeySet);

	DeadLetterPublisher(KafkaTemplate<byte[], byte[]> kafka, String topic, JobMetrics metrics) {
		this.kafka = kafka;
		this.topic = topic;
		this.metrics = metrics;
	}

	/**
	 * Publishes dead letters and waits until Kafka has them all, for 30 s at most and
	 * what the producer takes to refuse one at once. Publishing them again after a
	 * failure skips those that Kafka has.
	 * @param deadLetters the dead letters
	 * @throws KafkaException when Kafka does not have them all
	 */
	void publish(List<DeadLetter> deadLetters) {
		Set<String> acknowledged = this.acknowledged.get();
		acknowledged.retainAll(deadLetters.stream().map(DeadLetter::position).toList());
		List<CompletableFuture<?>> sent = new ArrayList<>();
		for (DeadLetter deadLetter : deadLetters) {
			if (!acknowledged.contains(deadLetter.position())) {
				CompletableFuture<?> one = send(deadLetter).thenRun(() -> {
					acknowledged.add(deadLetter.position());
					this.metrics.deadLetter(deadLetter.reason());
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
	private CompletableFuture<SendResult<byte[], byte[]>> send(DeadLetter deadLetter) {
		CompletableFuture<SendResult<byte[], byte[]>> sent = send(this.kafka, whole(deadLetter));
		if (sent.isCompletedExceptionally() && !isTooLarge(sent.exceptionNow())) {
			// known at once, so that publish stops here
			return sent;
		}
		return orIfTooLarge(orIfTooLarge(sent, () -> withoutValue(deadLetter)), () -> bare(deadLetter));
	}

	private CompletableFuture<SendResult<byte[], byte[]>> orIfTooLarge(
			CompletableFuture<SendResult<byte[], byte[]>> sent, Supplier<ProducerRecord<byte[], byte[]>> smaller) {
		return sent.exceptionallyComposeAsync((failure) -> isTooLarge(failure) ? send(this.kafka, smaller.get())
				: CompletableFuture.failedFuture(failure), Thread::startVirtualThread);
	}

	static boolean isTooLarge(Throwable failure) {
		return NestedExceptionUtils.getMostSpecificCause(failure) instanceof RecordTooLargeException;
	}

	/**
	 * Sends a record. A template fails in two ways; this makes them one.
	 */
	static CompletableFuture<SendResult<byte[], byte[]>> send(KafkaTemplate<byte[], byte[]> kafka,
			ProducerRecord<byte[], byte[]> record) {
		try {
			return kafka.send(record);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private ProducerRecord<byte[], byte[]> whole(DeadLetter deadLetter) {
		ConsumerRecord<byte[], byte[]> original = deadLetter.record();
		return record(deadLetter, original.key(), original.value(), original.headers(), deadLetter.shortDetail());
	}

	private ProducerRecord<byte[], byte[]> withoutValue(DeadLetter deadLetter) {
		ConsumerRecord<byte[], byte[]> original = deadLetter.record();
		return leftOut(record(deadLetter, original.key(), null, original.headers(),
				"The value is too large for this topic and left out. " + deadLetter.shortDetail()), original);
	}

	private ProducerRecord<byte[], byte[]> bare(DeadLetter deadLetter) {
		byte @Nullable [] key = deadLetter.record().key();
		boolean isLarge = key != null && key.length > MAX_KEY;
		ProducerRecord<byte[], byte[]> bare = leftOut(record(deadLetter, isLarge ? null : key, null,
				new RecordHeaders(),
				"Value, headers and a key above %d bytes are too large for this topic and left out. ".formatted(MAX_KEY)
						+ deadLetter.shortDetail()),
				deadLetter.record());
		if (key != null && isLarge) {
			put(bare.headers(), "dlt-key-left-out", key.length);
		}
		return bare;
	}

	private static ProducerRecord<byte[], byte[]> leftOut(ProducerRecord<byte[], byte[]> record,
			ConsumerRecord<byte[], byte[]> original) {
		put(record.headers(), "dlt-value-left-out", (original.value() != null) ? original.value().length : 0);
		return record;
	}

	private ProducerRecord<byte[], byte[]> record(DeadLetter deadLetter, byte @Nullable [] key, byte @Nullable [] value,
			Headers headers, String detail) {
		ConsumerRecord<byte[], byte[]> original = deadLetter.record();
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(this.topic, null, key, value);
		for (Header header : headers) {
			// one that was a dead letter before has its own
			if (!header.key().startsWith(HEADER)) {
				record.headers().add(header);
			}
		}
		put(record.headers(), "dlt-reason", deadLetter.reason());
		put(record.headers(), "dlt-detail", detail);
		String pointers = JSON.writeValueAsString(deadLetter.pointers().stream().limit(MAX_POINTERS).toList());
		if (!deadLetter.pointers().isEmpty() && pointers.length() <= MAX_POINTERS_SIZE) {
			put(record.headers(), "dlt-pointers", pointers);
		}
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
		headers.add(name, value.toString().getBytes(StandardCharsets.UTF_8));
	}

	private static void log(DeadLetter deadLetter) {
		BatchTraces.name(logger.atWarn(), List.of(deadLetter.record()))
			.addKeyValue("reason", deadLetter.reason())
			.addKeyValue("position", deadLetter.position())
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
