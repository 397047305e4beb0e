package jobs.kafkatomongo;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

import org.springframework.kafka.KafkaException;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.SendResult;

/**
 * Publishes dead letters again, each with its key, so that the same job can be stored
 * once only, however often it is replayed.
 */
class Replays {

	/** The header that names the dead letter a record comes from. */
	static final String HEADER = "replay-of";

	private static final long TIMEOUT_SECONDS = 8;

	private static final int MAX_TOGETHER = 50;

	private static final int MAX_BYTES = 2 * 1024 * 1024;

	private final KafkaTemplate<byte[], byte[]> kafka;

	private final DeadLetterStore store;

	private final String topic;

	Replays(KafkaTemplate<byte[], byte[]> kafka, DeadLetterStore store, String topic) {
		this.kafka = kafka;
		this.store = store;
		this.topic = topic;
	}

	/**
	 * Whether the whole record was kept.
	 */
	static boolean canReplay(BsonDocument deadLetter) {
		return !deadLetter.containsKey("valueLeftOut");
	}

	/**
	 * Publishes a dead letter again and waits until Kafka has it.
	 * @param deadLetter the dead letter
	 * @param corrected what to publish in place of its value, or {@code null}
	 * @return where the new record stands
	 * @throws KafkaException when Kafka does not take it within 8 s. It may still arrive;
	 * replaying it again is safe
	 */
	String replay(BsonDocument deadLetter, byte @Nullable [] corrected) {
		Sent sent = send(deadLetter, corrected);
		return settle(sent, corrected != null, System.nanoTime());
	}

	/**
	 * Publishes the dead letters of a filter again, the oldest first, as they are.
	 * @param filter the filter
	 * @param limit the most to publish
	 * @return how many Kafka has
	 */
	int replayAll(Bson filter, int limit) {
		int count = 0;
		int bytes = 0;
		List<Sent> together = new ArrayList<>();
		for (BsonDocument deadLetter : this.store.select(filter, limit)) {
			Sent sent = send(deadLetter, null);
			together.add(sent);
			bytes += sent.bytes();
			if (together.size() == MAX_TOGETHER || bytes > MAX_BYTES) {
				count += settle(together);
				bytes = 0;
			}
		}
		return count + settle(together);
	}

	private int settle(List<Sent> together) {
		long start = System.nanoTime();
		together.forEach((sent) -> settle(sent, false, start));
		int count = together.size();
		together.clear();
		return count;
	}

	private String settle(Sent sent, boolean corrected, long start) {
		String position = await(sent.result(), start);
		this.store.replayed(sent.id(), position, corrected);
		return position;
	}

	private Sent send(BsonDocument deadLetter, byte @Nullable [] corrected) {
		String id = deadLetter.getString("_id").getValue();
		// and not the key, which may be missing or no text: then the position made the id
		byte[] key = DeadLetterStore.bytes(deadLetter.getString("job"));
		BsonValue value = deadLetter.get("value");
		byte @Nullable [] bytes = (corrected != null) ? corrected
				: ((value != null) ? DeadLetterStore.bytes(value) : null);
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(this.topic, key, bytes);
		deadLetter.getArray("headers").forEach((header) -> {
			String name = header.asDocument().getString("name").getValue();
			BsonValue content = header.asDocument().get("value");
			if (!name.equals(HEADER)) {
				record.headers().add(name, (content != null) ? DeadLetterStore.bytes(content) : null);
			}
		});
		record.headers().add(HEADER, id.getBytes(StandardCharsets.UTF_8));
		return new Sent(id, (bytes != null) ? bytes.length : 0, this.kafka.send(record));
	}

	private static String await(CompletableFuture<SendResult<byte[], byte[]>> result, long start) {
		try {
			long left = TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS) - (System.nanoTime() - start);
			return position(result.get(Math.max(0, left), TimeUnit.NANOSECONDS));
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new KafkaException("A replay was not acknowledged", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new KafkaException("Interrupted while replaying a dead letter", ex);
		}
	}

	private static String position(SendResult<byte[], byte[]> result) {
		return "%s#%d#%d".formatted(result.getRecordMetadata().topic(), result.getRecordMetadata().partition(),
				result.getRecordMetadata().offset());
	}

	/**
	 * What a correction must be: a job.
	 * @throws BadJobException when it is none
	 */
	void check(JobParser parser, BsonDocument deadLetter, byte[] corrected) throws BadJobException {
		byte[] key = DeadLetterStore.bytes(deadLetter.getString("job"));
		parser.parse(new ConsumerRecord<>(this.topic, 0, 0, key, corrected));
	}

	/**
	 * A dead letter on its way.
	 *
	 * @param id its id
	 * @param bytes the size of its value
	 * @param result where it stands, once Kafka has it
	 */
	private record Sent(String id, int bytes, CompletableFuture<SendResult<byte[], byte[]>> result) {

	}

}
