package jobs.kafkatomongo;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import com.mongodb.client.model.Filters;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;
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

	private static final Logger logger = LoggerFactory.getLogger(Replays.class);

	private static final String KEY_LEFT_OUT = "keyLeftOut";

	/** The fields that tell what was too large to be kept. */
	private static final List<String> LEFT_OUT = List.of(KEY_LEFT_OUT, "valueLeftOut", "headersLeftOut");

	private static final long TIMEOUT_SECONDS = 8;

	/** Dead letters held at a time, each of up to some megabytes. */
	private static final int TOGETHER = 10;

	/** Then a request for many is answered, though some may be left. */
	private static final long ENOUGH_SECONDS = 5;

	private final KafkaTemplate<byte[], byte[]> kafka;

	private final DeadLetterStore store;

	private final String topic;

	Replays(KafkaTemplate<byte[], byte[]> kafka, DeadLetterStore store, String topic) {
		this.kafka = kafka;
		this.store = store;
		this.topic = topic;
	}

	/**
	 * Whether the whole record was kept, and is still as it was kept: somebody may have
	 * edited it in the Mongo shell. Without a value it is a record without one.
	 */
	static boolean canReplay(BsonDocument deadLetter) {
		BsonValue value = deadLetter.get("value");
		return canCorrect(deadLetter) && LEFT_OUT.stream().noneMatch(deadLetter::containsKey)
				&& (value == null || value.isString() || value.isBinary());
	}

	/**
	 * Whether it can be replayed with another value: without its key it would be another
	 * job.
	 */
	static boolean canCorrect(BsonDocument deadLetter) {
		return !deadLetter.containsKey(KEY_LEFT_OUT) && deadLetter.isString("job") && deadLetter.isArray("headers")
				&& deadLetter.getArray("headers").stream().allMatch(Replays::isHeader);
	}

	private static boolean isHeader(BsonValue header) {
		if (!header.isDocument() || !header.asDocument().isString("name")) {
			return false;
		}
		BsonValue value = header.asDocument().get("value");
		return value == null || value.isString() || value.isBinary();
	}

	/**
	 * Those of a filter of which, as far as a query can tell, the whole record was kept;
	 * and no document of somebody else's, whose id is no string.
	 */
	static Bson canReplay(Bson filter) {
		return Filters.and(filter, Filters.gte("_id", ""),
				Filters.and(LEFT_OUT.stream().map((name) -> Filters.exists(name, false)).toList()));
	}

	/**
	 * Publishes a dead letter again and waits until Kafka has it.
	 * @param deadLetter the dead letter
	 * @param corrected what to publish in place of its value, or {@code null}
	 * @return where the new record stands
	 * @throws RecordTooLargeException when the topic does not take so large a record
	 * @throws KafkaException when Kafka does not take it within 8 s. It may still arrive;
	 * replaying it again is safe
	 */
	String replay(BsonDocument deadLetter, byte @Nullable [] corrected) {
		long start = System.nanoTime();
		String position = await(send(deadLetter, corrected).result(), start);
		this.store.replayed(Map.of(deadLetter.getString("_id").getValue(), position), corrected != null);
		return position;
	}

	/**
	 * Publishes dead letters of a filter again, the oldest first, as they are, and stops
	 * after some seconds.
	 * @param filter the filter
	 * @param limit the most to publish
	 * @return how many Kafka has, and how many were left out: too large for the topic, or
	 * edited by somebody
	 * @throws KafkaException when Kafka does not answer
	 */
	Count replayAll(Bson filter, int limit) {
		long start = System.nanoTime();
		Count count = new Count(0, 0, true);
		List<BsonDocument> page = this.store.select(filter, null, TOGETHER);
		while (!page.isEmpty()) {
			count = count.plus(replay(page));
			if (count.replayed() >= limit || System.nanoTime() - start >= TimeUnit.SECONDS.toNanos(ENOUGH_SECONDS)) {
				return new Count(count.replayed(), count.skipped(), false);
			}
			page = this.store.select(filter, page.getLast(), TOGETHER);
		}
		return count;
	}

	private Count replay(List<BsonDocument> page) {
		long start = System.nanoTime();
		Map<String, String> positions = new HashMap<>();
		KafkaException failure = null;
		for (Sent one : send(page)) {
			try {
				positions.put(one.id(), await(one.result(), start));
			}
			catch (RecordTooLargeException ex) {
				logger.atWarn().addKeyValue("position", one.id()).log("A dead letter is too large to be replayed");
			}
			catch (KafkaException ex) {
				// others may have arrived
				failure = ex;
			}
		}
		this.store.replayed(positions, false);
		if (failure != null) {
			throw failure;
		}
		return new Count(positions.size(), page.size() - positions.size(), true);
	}

	private List<Sent> send(List<BsonDocument> page) {
		List<Sent> sent = new ArrayList<>();
		for (BsonDocument deadLetter : page) {
			if (!canReplay(deadLetter)) {
				logger.atWarn()
					.addKeyValue("position", deadLetter.getString("_id").getValue())
					.log("A dead letter was edited and can't be replayed any more");
				continue;
			}
			Sent one = send(deadLetter, null);
			sent.add(one);
			if (one.result().isCompletedExceptionally()
					&& !DeadLetterPublisher.isTooLarge(one.result().exceptionNow())) {
				// the next would be waited for as long, one after the other
				break;
			}
		}
		return sent;
	}

	private Sent send(BsonDocument deadLetter, byte @Nullable [] corrected) {
		String id = deadLetter.getString("_id").getValue();
		// and not the key, which may be missing or no text: then the position made the id
		byte[] key = DeadLetterDocument.bytes(deadLetter.getString("job"));
		BsonValue value = deadLetter.get("value");
		byte @Nullable [] bytes = (corrected != null) ? corrected
				: ((value != null) ? DeadLetterDocument.bytes(value) : null);
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(this.topic, key, bytes);
		deadLetter.getArray("headers").forEach((header) -> {
			String name = header.asDocument().getString("name").getValue();
			BsonValue content = header.asDocument().get("value");
			if (!name.equals(HEADER)) {
				record.headers().add(name, (content != null) ? DeadLetterDocument.bytes(content) : null);
			}
		});
		record.headers().add(HEADER, id.getBytes(StandardCharsets.UTF_8));
		return new Sent(id, DeadLetterPublisher.send(this.kafka, record));
	}

	private static String await(CompletableFuture<SendResult<byte[], byte[]>> result, long start) {
		try {
			long left = TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS) - (System.nanoTime() - start);
			return position(result.get(Math.max(0, left), TimeUnit.NANOSECONDS));
		}
		catch (ExecutionException | TimeoutException ex) {
			if (NestedExceptionUtils.getMostSpecificCause(ex) instanceof RecordTooLargeException tooLarge) {
				throw tooLarge;
			}
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
		byte[] key = DeadLetterDocument.bytes(deadLetter.getString("job"));
		parser.parse(new ConsumerRecord<>(this.topic, 0, 0, key, corrected));
	}

	/**
	 * A dead letter on its way.
	 *
	 * @param id its id
	 * @param result where it stands, once Kafka has it
	 */
	private record Sent(String id, CompletableFuture<SendResult<byte[], byte[]>> result) {

	}

	/**
	 * What became of dead letters.
	 *
	 * @param replayed how many Kafka has again
	 * @param skipped how many were left out
	 * @param all whether these were all
	 */
	record Count(int replayed, int skipped, boolean all) {

		Count plus(Count other) {
			return new Count(this.replayed + other.replayed, this.skipped + other.skipped, this.all);
		}

	}

}
