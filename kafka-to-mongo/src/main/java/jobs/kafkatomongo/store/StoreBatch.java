package jobs.kafkatomongo.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

import com.mongodb.MongoException;
import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoCollection;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetter.Reason;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.document.RecordPosition;
import jobs.kafkatomongo.events.StoredEvents;
import jobs.kafkatomongo.mongo.BulkWriter;
import jobs.kafkatomongo.mongo.BulkWriter.Answer;
import jobs.kafkatomongo.mongo.BulkWriter.Refusal;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import jobs.kafkatomongo.mongo.PoisonCandidates;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A try to store a batch: what became of its documents. Several threads may store some of
 * them each. It keeps only those that wait: all of a batch together may not fit into
 * memory.
 */
abstract class StoreBatch {

	/** How often documents are written that MongoDB refuses only for a moment. */
	private static final int WRITES = 10;

	private final MongoCollection<BsonDocument> collection;

	final StoreMetrics metrics;

	final StoredEvents events;

	private final BulkWriter<ParsedRecord> writer;

	private final PoisonCandidates candidates;

	private final Queue<DeadLetter> refused = new ConcurrentLinkedQueue<>();

	/** Documents that MongoDB refuses with a code of which nobody knows. */
	private final Queue<Refusal<ParsedRecord>> unknown = new ConcurrentLinkedQueue<>();

	/** Whether MongoDB has recognised a stored document. */
	private volatile boolean recognises;

	private final AtomicReference<@Nullable MongoException> failure = new AtomicReference<>();

	StoreBatch(MongoCollection<BsonDocument> collection, StoreMetrics metrics, StoredEvents events,
			BulkWriter<ParsedRecord> writer, PoisonCandidates candidates) {
		this.collection = collection;
		this.metrics = metrics;
		this.events = events;
		this.writer = writer;
		this.candidates = candidates;
	}

	/**
	 * Stores documents, and goes on past a document that has to wait. Throws
	 * {@link MongoException} when MongoDB can't write now.
	 */
	abstract void store(List<ParsedRecord> records);

	/**
	 * Decides on documents that MongoDB has refused, and returns those that must be
	 * written again at once. What fails with a MongoException makes all of them wait.
	 */
	abstract List<ParsedRecord> decide(List<Refusal<ParsedRecord>> refusals);

	/** Notes documents that MongoDB has taken. */
	void stored(List<ParsedRecord> records) {
	}

	/** Notes that a document waits. */
	void hold(BsonValue id) {
	}

	/** Notes that a document that has waited is given up. */
	void release(BsonValue id) {
	}

	/** Takes the documents that have waited behind others, to try them. */
	List<ParsedRecord> released() {
		return List.of();
	}

	/** Notes a record of the batch that can't be stored. */
	final void refuse(DeadLetter deadLetter) {
		this.refused.add(deadLetter);
	}

	/** Notes a document that MongoDB refuses, for ever or for a reason nobody knows. */
	final void refuse(Refusal<ParsedRecord> refusal) {
		if (refusal.isFinal()) {
			this.refused.add(deadLetter(refusal));
		}
		else {
			hold(refusal.document().id());
			this.unknown.add(refusal);
		}
	}

	/** Writes documents that have one id each. */
	final void write(Collection<ParsedRecord> records) {
		List<ParsedRecord> rest = List.copyOf(records);
		for (int i = 0; i < WRITES; i++) {
			rest = writeOnce(rest);
			if (rest.isEmpty()) {
				return;
			}
		}
		keepWaiting(MongoErrorCodes.refused(MongoErrorCodes.DUPLICATE_KEY, rest.size(),
				"another writer was faster each time"), rest);
	}

	/** Returns the documents that must be written again. */
	private List<ParsedRecord> writeOnce(List<ParsedRecord> records) {
		Answer<ParsedRecord> answer = this.writer.write(records);
		this.metrics.stored(answer.taken());
		this.events.stored(answer.taken());
		stored(answer.taken());
		if (answer.failure() != null) {
			keepWaiting(answer.failure(), records);
		}
		if (!answer.refusals().isEmpty()) {
			try {
				if (answer.refusals().stream().anyMatch(Refusal::isDuplicate)) {
					this.recognises = true;
				}
				return decide(answer.refusals());
			}
			catch (MongoException ex) {
				keepWaiting(ex, answer.refusals().stream().map(Refusal::document).toList());
			}
		}
		return List.of();
	}

	private void keepWaiting(MongoException failure, Collection<ParsedRecord> records) {
		records.forEach((parsed) -> hold(parsed.id()));
		this.failure.compareAndSet(null, failure);
		if (MongoErrorCodes.isOutage(failure)) {
			throw failure;
		}
	}

	/**
	 * Returns the records that can't be stored. A document that is stored already counts
	 * as stored. Throws {@link MongoException} when not all others are safe; the caller
	 * then tries the batch again.
	 */
	final List<DeadLetter> end() {
		List<Refusal<ParsedRecord>> waiting = new ArrayList<>();
		Set<Object> tried = new HashSet<>();
		while (!this.unknown.isEmpty()) {
			List<Refusal<ParsedRecord>> unknown = drained(this.unknown);
			unknown.forEach((refusal) -> tried.add(identity(refusal.document())));
			List<Refusal<ParsedRecord>> givenUp = this.candidates.givenUp(unknown, StoreBatch::identity,
					() -> this.recognises || recognises());
			givenUp.forEach((refusal) -> release(refusal.document().id()));
			givenUp.stream().map(StoreBatch::deadLetter).forEach(this.refused::add);
			unknown.removeAll(givenUp);
			waiting.addAll(unknown);
			// of an id that is given up, the next document may be stored
			store(released());
		}
		MongoException failure = this.failure.get();
		if (failure != null) {
			// not all were tried: they stay candidates
			throw failure;
		}
		this.candidates.retain(tried);
		if (!waiting.isEmpty()) {
			throw MongoErrorCodes.refused(waiting.getFirst().code(), waiting.size(), waiting.getFirst().message());
		}
		return List.copyOf(this.refused);
	}

	/**
	 * Whether MongoDB looks at what is inserted: it has to recognise a whole stored
	 * document as a duplicate. Only a document that somebody deletes at this moment would
	 * be written again.
	 */
	private boolean recognises() {
		try {
			BsonDocument stored = this.collection.find().first();
			if (stored == null) {
				return false;
			}
			this.collection.insertOne(stored);
			// it was deleted just now, by hand
			return true;
		}
		catch (MongoWriteException ex) {
			return ex.getCode() == MongoErrorCodes.DUPLICATE_KEY;
		}
		catch (MongoException ex) {
			return false;
		}
	}

	static <T> List<T> drained(Queue<T> queue) {
		List<T> all = new ArrayList<>(queue);
		queue.clear();
		return all;
	}

	private static Object identity(ParsedRecord parsed) {
		return RecordPosition.identity(parsed.record());
	}

	static DeadLetter deadLetter(Refusal<ParsedRecord> refusal) {
		return new DeadLetter(refusal.document(), Reason.MONGODB, refusal.message(), refusal.code());
	}

}
