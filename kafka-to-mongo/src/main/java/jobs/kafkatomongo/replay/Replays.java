package jobs.kafkatomongo.replay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;

import jobs.chassis.kafka.Sender;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.kafkatomongo.deadletter.KeptRecord;
import jobs.kafkatomongo.document.RecordPosition;
import jobs.kafkatomongo.http.OperatorAction;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.kafka.KafkaException;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.stereotype.Component;

/**
 * Publishes dead letters again under their keys, so that each document is stored once,
 * however often it is replayed.
 */
@Component
class Replays {

	/** Dead letters in memory while many are replayed. */
	private static final int REPLAYS_TOGETHER = 10;

	/** Time after which a request for many is answered. */
	private static final Duration REPLAYS_TIME = Duration.ofSeconds(5);

	/** Wait for Kafka to acknowledge a replay; beyond: 503. */
	private static final Duration REPLAY_ACKNOWLEDGEMENT = Duration.ofSeconds(8);

	private static final Logger logger = LoggerFactory.getLogger(Replays.class);

	private final Sender<byte[], byte[]> sender;

	private final DeadLetterCollection deadLetters;

	private final Resource resource;

	Replays(ProducerFactory<byte[], byte[]> kafka, DeadLetterCollection deadLetters, Resource resource) {
		this.sender = new Sender<>(kafka, REPLAY_ACKNOWLEDGEMENT);
		this.deadLetters = deadLetters;
		this.resource = resource;
	}

	/**
	 * Publishes a dead letter again, corrected if a correction is given, and returns the
	 * position of the new record once Kafka has it. Throws RecordTooLargeException when
	 * the topic does not take so large a record. Throws KafkaException after
	 * {@link #REPLAY_ACKNOWLEDGEMENT}, plus the time that the producer takes to refuse
	 * it; the record may still arrive, and a further replay is safe.
	 */
	String replay(KeptRecord kept, byte @Nullable [] correction, OperatorAction act) {
		long start = System.nanoTime();
		String position = await(send(kept, correction).result(), start);
		this.deadLetters.replayed(Map.of(kept.id(), position), act.entry());
		return position;
	}

	/**
	 * Publishes dead letters of a filter again, unchanged and the oldest first, until
	 * {@code limit} or {@link #REPLAYS_TIME} is reached. It skips those that were edited
	 * or are too large for the topic. Throws KafkaException when Kafka does not answer.
	 */
	Count replayAll(Bson filter, int limit, OperatorAction act) {
		return forEach(filter, limit, (page) -> replay(page, act));
	}

	/** As {@link #replayAll}, but it skips those that do not pass, too. */
	Count replayPassing(Bson filter, int limit, Predicate<KeptRecord> passes, OperatorAction act) {
		return forEach(filter, limit, (page) -> {
			List<BsonDocument> passing = passing(page, passes);
			Count count = replay(passing, act);
			return new Count(count.replayed(), count.skipped() + page.size() - passing.size(), null);
		});
	}

	/** Counts those that {@link #replayPassing} would replay. */
	Count countPassing(Bson filter, Predicate<KeptRecord> passes) {
		return forEach(filter, Integer.MAX_VALUE, (page) -> {
			int passing = passing(page, passes).size();
			return new Count(passing, page.size() - passing, null);
		});
	}

	private static List<BsonDocument> passing(List<BsonDocument> page, Predicate<KeptRecord> passes) {
		return page.stream().filter((deadLetter) -> passes.test(new KeptRecord(deadLetter))).toList();
	}

	private Count forEach(Bson filter, int limit, Function<List<BsonDocument>, Count> action) {
		long start = System.nanoTime();
		Count count = new Count(0, 0, null);
		List<BsonDocument> page = this.deadLetters.select(filter, null, REPLAYS_TOGETHER);
		while (!page.isEmpty()) {
			count = count.plus(action.apply(page));
			if (count.replayed() >= limit || System.nanoTime() - start >= REPLAYS_TIME.toNanos()) {
				return new Count(count.replayed(), count.skipped(), page.getLast());
			}
			page = this.deadLetters.select(filter, page.getLast(), REPLAYS_TOGETHER);
		}
		return count;
	}

	private Count replay(List<BsonDocument> page, OperatorAction act) {
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
				// the replays that did arrive are noted before this is thrown
				failure = ex;
			}
		}
		this.deadLetters.replayed(positions, act.entry());
		if (failure != null) {
			throw failure;
		}
		return new Count(positions.size(), page.size() - positions.size(), null);
	}

	private List<Sent> send(List<BsonDocument> page) {
		List<Sent> sent = new ArrayList<>();
		for (KeptRecord kept : page.stream().map(KeptRecord::new).toList()) {
			if (!kept.isWhole()) {
				logger.atWarn()
					.addKeyValue("position", kept.id())
					.log("A dead letter was edited and can't be replayed any more");
				continue;
			}
			Sent one = send(kept, null);
			sent.add(one);
			if (one.result().isCompletedExceptionally() && !Sender.isTooLarge(one.result().exceptionNow())) {
				// each further send would block as long as this one
				break;
			}
		}
		return sent;
	}

	private Sent send(KeptRecord kept, byte @Nullable [] correction) {
		return new Sent(kept.id(), this.sender.send(kept.toPublish(this.resource, correction)));
	}

	private static String await(CompletableFuture<RecordMetadata> result, long start) {
		try {
			long left = REPLAY_ACKNOWLEDGEMENT.toNanos() - (System.nanoTime() - start);
			RecordMetadata sent = result.get(Math.max(0, left), TimeUnit.NANOSECONDS);
			return RecordPosition.of(sent).toString();
		}
		catch (ExecutionException | TimeoutException ex) {
			if (Sender.isTooLarge(ex)) {
				throw new RecordTooLargeException(String.valueOf(ex.getMessage()), ex);
			}
			throw new KafkaException("A replay was not acknowledged", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new KafkaException("Interrupted while replaying a dead letter", ex);
		}
	}

	/** A dead letter on its way; the result tells where Kafka has put it. */
	private record Sent(String id, CompletableFuture<RecordMetadata> result) {

	}

	/**
	 * How many dead letters were replayed and skipped.
	 *
	 * @param last the one that was looked at last; {@code null} where these were all
	 */
	record Count(int replayed, int skipped, @Nullable BsonDocument last) {

		Count plus(Count other) {
			return new Count(this.replayed + other.replayed, this.skipped + other.skipped, this.last);
		}

	}

}
