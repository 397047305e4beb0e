package jobs.kafkatomongo.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import jobs.contract.RefusedDocumentException;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.consumption.ListenerHealth;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetter.Reason;
import jobs.kafkatomongo.deadletter.DeadLetterPublisher;
import jobs.kafkatomongo.document.ErasedDocuments;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.document.RecordParser;
import jobs.kafkatomongo.document.RecordPosition;
import jobs.kafkatomongo.document.RecordTraces;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

/**
 * Stores each batch of records, and puts what can't be stored into the dead-letter topic.
 * When {@code listen} returns, the batch is safe and may be committed; when it throws,
 * the batch comes again.
 */
@Component
class RecordListener {

	/**
	 * Bytes of documents, in MongoDB's form, after which a thread inserts them. A value
	 * can become six times as large there.
	 */
	private static final int PART_BYTES = 1024 * 1024;

	private static final Logger logger = LoggerFactory.getLogger(RecordListener.class);

	private final RecordParser parser;

	private final DocumentStore store;

	private final DeadLetterPublisher deadLetters;

	private final ListenerHealth health;

	private final StoreMetrics metrics;

	private final BatchTraces traces;

	private final ErasedDocuments erased;

	/**
	 * Whether an id is known by the document alone, and the first document of it stays.
	 */
	private final boolean needsOneLane;

	/** Whether a record that can't be read has no id that is known. */
	private final boolean hasOwnIds;

	RecordListener(RecordParser parser, DocumentStore store, DeadLetterPublisher deadLetters, ListenerHealth health,
			StoreMetrics metrics, BatchTraces traces, ErasedDocuments erased, Resource resource) {
		this.parser = parser;
		this.store = store;
		this.deadLetters = deadLetters;
		this.health = health;
		this.metrics = metrics;
		this.traces = traces;
		this.erased = erased;
		this.hasOwnIds = resource.hasOwnIds();
		this.needsOneLane = this.hasOwnIds && !resource.hasVersions();
	}

	@KafkaListener(id = "#{@resource.name()}", idIsGroup = false, groupId = "#{@resource.group()}",
			clientIdPrefix = "#{@resource.named('kafka-to-mongo')}", topics = "#{@resource.topic()}", batch = "true")
	void listen(List<ConsumerRecord<byte[], byte[]>> records) {
		long start = System.nanoTime();
		BatchTraces.Batch traces = this.traces.start(records);
		boolean isSafe = false;
		try {
			store(records, traces);
			isSafe = true;
		}
		finally {
			traces.end(isSafe);
		}
		this.health.stored();
		this.metrics.batch(records.size(), System.nanoTime() - start);
	}

	private void store(List<ConsumerRecord<byte[], byte[]>> records, BatchTraces.Batch traces) {
		Instant insert = Instant.now();
		StoreBatch batch = this.store.batch();
		if (this.needsOneLane) {
			storeInParts(records, batch);
		}
		else {
			Lanes.forEach(records, (lane) -> storeInParts(lane, batch));
		}
		List<DeadLetter> refused = batch.end();
		traces.inserted(insert);
		this.deadLetters.publish(withoutErased(refused));
	}

	/**
	 * A record of a document that was erased is neither stored nor kept as a dead letter.
	 */
	private List<DeadLetter> withoutErased(List<DeadLetter> refused) {
		Set<String> erased = this.erased
			.among(refused.stream().filter(this::isIdKnown).map(DeadLetter::documentId).toList());
		List<DeadLetter> kept = refused.stream()
			.filter((one) -> !isIdKnown(one) || !erased.contains(one.documentId()))
			.toList();
		this.metrics.erased(refused.size() - kept.size());
		return kept;
	}

	/** A key may be another document's id, where documents have their own. */
	private boolean isIdKnown(DeadLetter deadLetter) {
		return !this.hasOwnIds || deadLetter.reason() == Reason.CONFLICT || deadLetter.reason() == Reason.MONGODB;
	}

	/** All documents of a batch may not fit into memory. */
	private void storeInParts(List<ConsumerRecord<byte[], byte[]>> records, StoreBatch batch) {
		List<ParsedRecord> part = new ArrayList<>(records.size());
		long bytes = 0;
		for (ConsumerRecord<byte[], byte[]> record : records) {
			ParsedRecord parsed = parse(record, batch);
			if (parsed != null) {
				part.add(parsed);
				bytes += parsed.bytes();
			}
			if (bytes >= PART_BYTES) {
				batch.store(part);
				part = new ArrayList<>();
				bytes = 0;
			}
		}
		batch.store(part);
	}

	private @Nullable ParsedRecord parse(ConsumerRecord<byte[], byte[]> record, StoreBatch batch) {
		try {
			return this.parser.parse(record);
		}
		catch (RefusedDocumentException ex) {
			batch.refuse(new DeadLetter(record, ex));
		}
		catch (OutOfMemoryError | LinkageError ex) {
			throw new IllegalStateException("This process is not able to read any record", ex);
		}
		catch (RuntimeException | Error ex) {
			// parsing depends on the record alone: each retry would fail too, and
			// hold up all later records
			RecordTraces.name(logger.atError(), List.of(record))
				.setCause(ex)
				.addKeyValue("position", RecordPosition.of(record))
				.log("A record can't be read for a fault of this service");
			batch.refuse(new DeadLetter(record, Reason.INTERNAL,
					"This service failed to read the value (%s); its log tells more at %s"
						.formatted(ex.getClass().getSimpleName(), RecordPosition.of(record)),
					null));
		}
		return null;
	}

}
