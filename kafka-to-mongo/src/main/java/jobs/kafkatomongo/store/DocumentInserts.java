package jobs.kafkatomongo.store;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import com.mongodb.MongoException;
import com.mongodb.MongoWriteException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetter.Reason;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.document.RecordPosition;
import jobs.kafkatomongo.mongo.BulkWriter;
import jobs.kafkatomongo.mongo.BulkWriter.Answer;
import jobs.kafkatomongo.mongo.BulkWriter.Refusal;
import jobs.kafkatomongo.mongo.MongoConfiguration;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import jobs.kafkatomongo.mongo.PoisonCandidates;
import jobs.kafkatomongo.mongo.PoisonCandidates.Creations;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/** Inserts documents into the collection of a resource, each once. */
@Component
class DocumentInserts {

	private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

	private final MongoCollection<BsonDocument> collection;

	private final StoreMetrics metrics;

	private final Creations creations = new Creations();

	private final ThreadLocal<PoisonCandidates> candidates;

	DocumentInserts(MongoCollection<BsonDocument> collection, StoreMetrics metrics, KafkaToMongoProperties properties) {
		this.collection = collection.withWriteConcern(
				WriteConcern.MAJORITY.withWTimeout(MongoConfiguration.MAJORITY_WAIT.toMillis(), TimeUnit.MILLISECONDS));
		this.metrics = metrics;
		this.candidates = ThreadLocal.withInitial(() -> new PoisonCandidates(properties, this.creations));
	}

	/** Begins one try of a batch, for the consumer whose thread this is. */
	Batch batch() {
		return new Batch();
	}

	private int insert(List<ParsedRecord> records) {
		this.collection.withDocumentClass(RawBsonDocument.class)
			.insertMany(records.stream().map(ParsedRecord::document).toList(), UNORDERED);
		return records.size();
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

	/**
	 * A try to store a batch: what became of its documents. Several threads may store
	 * some of them each, but all documents of one id by one thread. It keeps only those
	 * that wait: all of a batch together may not fit into memory.
	 */
	final class Batch {

		private final BulkWriter<ParsedRecord> writer = BulkWriter.inserting(DocumentInserts.this::insert,
				DocumentInserts.this.creations);

		private final Duplicates duplicates = new Duplicates(DocumentInserts.this.collection);

		private final PoisonCandidates candidates = DocumentInserts.this.candidates.get();

		private final Queue<DeadLetter> refused = new ConcurrentLinkedQueue<>();

		/** Documents that MongoDB refuses with a code of which nobody knows. */
		private final Queue<Refusal<ParsedRecord>> unknown = new ConcurrentLinkedQueue<>();

		/**
		 * The ids of documents that wait. A later document of such an id must not be
		 * stored first.
		 */
		private final Set<BsonValue> waitingIds = ConcurrentHashMap.newKeySet();

		/** The later documents of these ids. */
		private final Queue<ParsedRecord> behind = new ConcurrentLinkedQueue<>();

		/** Whether MongoDB has recognised a stored document. */
		private volatile boolean recognises;

		private final AtomicReference<@Nullable MongoException> failure = new AtomicReference<>();

		/** Notes a record of the batch that can't be stored. */
		void refuse(DeadLetter deadLetter) {
			this.refused.add(deadLetter);
		}

		/**
		 * Stores documents in their order where they have one id, and goes on past a
		 * document that has to wait. Throws {@link MongoException} when MongoDB can't
		 * write now.
		 */
		void store(List<ParsedRecord> records) {
			List<ParsedRecord> rest = records;
			while (!rest.isEmpty()) {
				Set<BsonValue> ids = new HashSet<>();
				List<ParsedRecord> first = new ArrayList<>(rest.size());
				List<ParsedRecord> later = new ArrayList<>();
				for (ParsedRecord parsed : rest) {
					BsonValue id = parsed.id();
					if (this.waitingIds.contains(id)) {
						this.behind.add(parsed);
					}
					else {
						(ids.add(id) ? first : later).add(parsed);
					}
				}
				insert(first, ids);
				rest = later;
			}
		}

		/** Inserts documents that have one id each. */
		private void insert(List<ParsedRecord> records, Set<BsonValue> ids) {
			Answer<ParsedRecord> answer = this.writer.write(records);
			DocumentInserts.this.metrics.stored(answer.taken());
			if (answer.failure() != null) {
				keepWaiting(answer.failure(), ids);
			}
			List<Refusal<ParsedRecord>> duplicates = new ArrayList<>();
			for (Refusal<ParsedRecord> refusal : answer.refusals()) {
				if (refusal.isDuplicate()) {
					duplicates.add(refusal);
				}
				else if (refusal.isFinal()) {
					this.refused.add(deadLetter(refusal));
				}
				else {
					this.waitingIds.add(refusal.document().id());
					this.unknown.add(refusal);
				}
			}
			if (!duplicates.isEmpty()) {
				compare(duplicates);
			}
		}

		private void compare(List<Refusal<ParsedRecord>> duplicates) {
			this.recognises = true;
			try {
				Duplicates.Result result = this.duplicates.compare(duplicates);
				DocumentInserts.this.metrics.erased(result.erased());
				DocumentInserts.this.metrics.duplicates(duplicates.size() - result.refused().size() - result.erased());
				this.refused.addAll(result.refused());
			}
			catch (MongoException ex) {
				Set<BsonValue> ids = new HashSet<>();
				duplicates.forEach((duplicate) -> ids.add(duplicate.document().id()));
				keepWaiting(ex, ids);
			}
		}

		private void keepWaiting(MongoException failure, Set<BsonValue> ids) {
			this.waitingIds.addAll(ids);
			this.failure.compareAndSet(null, failure);
			if (MongoErrorCodes.isOutage(failure)) {
				throw failure;
			}
		}

		/**
		 * Returns the records that can't be stored. A document that is stored already
		 * counts as stored. Throws {@link MongoException} when not all others are safe;
		 * the caller then tries the batch again.
		 */
		List<DeadLetter> end() {
			List<Refusal<ParsedRecord>> waiting = new ArrayList<>();
			Set<Object> tried = new HashSet<>();
			while (!this.unknown.isEmpty()) {
				List<Refusal<ParsedRecord>> unknown = drained(this.unknown);
				unknown.forEach((refusal) -> tried.add(identity(refusal.document())));
				List<Refusal<ParsedRecord>> givenUp = this.candidates.givenUp(unknown, Batch::identity,
						() -> this.recognises || recognises());
				givenUp.forEach((refusal) -> this.waitingIds.remove(refusal.document().id()));
				givenUp.stream().map(Batch::deadLetter).forEach(this.refused::add);
				unknown.removeAll(givenUp);
				waiting.addAll(unknown);
				// of an id that is given up, the next document may be stored
				store(drained(this.behind));
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

		private static <T> List<T> drained(Queue<T> queue) {
			List<T> all = new ArrayList<>(queue);
			queue.clear();
			return all;
		}

		private static Object identity(ParsedRecord parsed) {
			return RecordPosition.identity(parsed.record());
		}

		private static DeadLetter deadLetter(Refusal<ParsedRecord> refusal) {
			return new DeadLetter(refusal.document().record(), Reason.MONGODB, refusal.message(), refusal.code());
		}

	}

}
