package jobs.kafkatomongo.mongo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.bulk.BulkWriteError;
import jobs.kafkatomongo.mongo.PoisonCandidates.Creations;
import org.jspecify.annotations.Nullable;

/**
 * Writes documents with unordered bulk commands, of as many as {@link CommandSize} says,
 * and tells what MongoDB answers about each. A command that fails as a whole is repeated
 * with halves of its documents, until each that fails has one. Several threads may share
 * a writer.
 *
 * @param <T> what becomes a document
 */
public final class BulkWriter<T> {

	/**
	 * Documents of a batch refused alone, after which no more are tried while MongoDB
	 * takes and recognises none.
	 */
	private static final int REFUSED_ALONE = 20;

	private final Command<T> command;

	private final boolean isUpsert;

	private final Shared shared;

	/** Commands of one document that failed. */
	private final AtomicInteger failedAlone = new AtomicInteger();

	/** Whether MongoDB has taken or recognised a document. */
	private volatile boolean answersWell;

	private BulkWriter(Command<T> command, boolean isUpsert, Shared shared) {
		this.command = command;
		this.isUpsert = isUpsert;
		this.shared = shared;
	}

	/** A writer whose command inserts. */
	public static <T> BulkWriter<T> inserting(Command<T> command, Shared shared) {
		return new BulkWriter<>(command, false, shared);
	}

	/** A writer whose command updates, and inserts where there is nothing to update. */
	public static <T> BulkWriter<T> upserting(Command<T> command, Shared shared) {
		return new BulkWriter<>(command, true, shared);
	}

	/**
	 * Writes documents, in any order. It throws nothing of MongoDB: the answer has the
	 * failure for which documents have to wait.
	 */
	public Answer<T> write(List<T> documents) {
		Answer<T> answer = new Answer<>();
		int size = this.shared.size().documents(documents.size());
		for (int i = 0; i < documents.size() && !answer.isOutage(); i += size) {
			write(documents.subList(i, Math.min(documents.size(), i + size)), answer);
		}
		return answer;
	}

	private void write(List<T> documents, Answer<T> answer) {
		long begun = this.shared.creations().begin();
		try {
			if (writeTimed(documents) > 0) {
				this.shared.creations().created(begun);
			}
			this.answersWell = true;
			answer.taken.addAll(documents);
		}
		catch (MongoBulkWriteException ex) {
			sort(documents, begun, ex, answer);
		}
		catch (MongoCommandException ex) {
			if (MongoErrorCodes.isOutage(ex)) {
				answer.failure = ex;
			}
			else if (documents.size() > 1) {
				writeHalves(documents, ex, answer);
			}
			else {
				this.failedAlone.incrementAndGet();
				answer.refusals.add(new Refusal<>(documents.getFirst(), ex.getCode(), ex.getErrorMessage(), false,
						this.shared.creations().now()));
			}
		}
		catch (MongoException ex) {
			answer.failure = ex;
		}
	}

	private int writeTimed(List<T> documents) {
		long begun = this.shared.size().begin();
		boolean isAnswered = false;
		try {
			int created = this.command.write(documents);
			isAnswered = true;
			return created;
		}
		catch (MongoBulkWriteException ex) {
			isAnswered = ex.getWriteConcernError() == null;
			throw ex;
		}
		finally {
			this.shared.size().ended(begun, documents.size(), isAnswered);
		}
	}

	/** Takes a failed command apart: what was taken, and what was refused. */
	private void sort(List<T> documents, long begun, MongoBulkWriteException failure, Answer<T> answer) {
		if (failure.getWriteConcernError() != null) {
			// a majority may lack what was taken
			answer.failure = MongoErrorCodes.unsafe(failure);
			return;
		}
		BitSet taken = new BitSet();
		taken.set(0, documents.size());
		failure.getWriteErrors().forEach((error) -> taken.clear(error.getIndex()));
		taken.stream().mapToObj(documents::get).forEach(answer.taken::add);
		if (!taken.isEmpty() || failure.getWriteErrors()
			.stream()
			.anyMatch((error) -> error.getCode() == MongoErrorCodes.DUPLICATE_KEY)) {
			this.answersWell = true;
		}
		BitSet created = this.isUpsert ? upserted(failure) : taken;
		long received = this.shared.creations().now();
		if (!created.isEmpty()) {
			this.shared.creations().created(begun);
		}
		for (BulkWriteError error : failure.getWriteErrors()) {
			if (MongoErrorCodes.isOutage(error.getCode())) {
				answer.failure = MongoErrorCodes.unsafe(failure);
			}
			else {
				answer.refusals.add(new Refusal<>(documents.get(error.getIndex()), error.getCode(), error.getMessage(),
						true, (created.length() > error.getIndex()) ? begun - 1 : received));
			}
		}
	}

	private static BitSet upserted(MongoBulkWriteException failure) {
		BitSet upserted = new BitSet();
		failure.getWriteResult().getUpserts().forEach((upsert) -> upserted.set(upsert.getIndex()));
		return upserted;
	}

	/**
	 * Writes halves in random order, so that other documents come first at each try.
	 * After many documents that failed alone, while none was taken or recognised, it
	 * stops: what fails all may be a state of MongoDB, and thousands of commands would
	 * outlast the wait of Kafka for a poll.
	 */
	private void writeHalves(List<T> documents, MongoCommandException failure, Answer<T> answer) {
		int half = (documents.size() + 1) / 2;
		List<List<T>> halves = Arrays.asList(documents.subList(0, half), documents.subList(half, documents.size()));
		Collections.shuffle(halves, ThreadLocalRandom.current());
		for (List<T> part : halves) {
			if (answer.isOutage()) {
				return;
			}
			if (this.failedAlone.get() >= REFUSED_ALONE && !this.answersWell) {
				answer.failure = failure;
				return;
			}
			write(part, answer);
		}
	}

	/**
	 * What all writers of a collection share.
	 *
	 * @param creations when its documents were made
	 * @param size how many documents go into a command
	 */
	public record Shared(Creations creations, CommandSize size) {

		/** Nothing is known of the collection yet. */
		public Shared() {
			this(new Creations(), new CommandSize());
		}

	}

	/**
	 * A bulk command.
	 *
	 * @param <T> what becomes a document
	 */
	@FunctionalInterface
	public interface Command<T> {

		/**
		 * Writes documents, and returns how many are new. Throws MongoException where not
		 * all of them are written.
		 */
		int write(List<T> documents);

	}

	/**
	 * The answer of MongoDB: each document was taken, or refused, or waits for the
	 * failure.
	 *
	 * @param <T> what becomes a document
	 */
	public static final class Answer<T> {

		private final List<T> taken = new ArrayList<>();

		private final List<Refusal<T>> refusals = new ArrayList<>();

		private @Nullable MongoException failure;

		private Answer() {
		}

		/** The documents that MongoDB has. */
		public List<T> taken() {
			return this.taken;
		}

		/** The documents that MongoDB refuses, with its reasons. */
		public List<Refusal<T>> refusals() {
			return this.refusals;
		}

		/** Why the other documents wait, or {@code null} where there are none. */
		public @Nullable MongoException failure() {
			return this.failure;
		}

		/** Whether MongoDB can't write now. */
		public boolean isOutage() {
			return this.failure != null && MongoErrorCodes.isOutage(this.failure);
		}

	}

	/**
	 * A document that MongoDB refuses.
	 *
	 * @param <T> what becomes a document
	 * @param document the document
	 * @param code MongoDB's error code
	 * @param message MongoDB's words, which may quote values
	 * @param isWriteError whether MongoDB refused the document itself, and not the
	 * command that had it alone
	 * @param at the moment of the refusal among the {@link Creations}; before this
	 * command where the command has created a document behind this one
	 */
	public record Refusal<T>(T document, int code, String message, boolean isWriteError, long at) {

		/** Whether a unique index has the value of this document already. */
		public boolean isDuplicate() {
			return this.isWriteError && this.code == MongoErrorCodes.DUPLICATE_KEY;
		}

		/** Whether the index is that of {@code _id}. */
		public boolean isDuplicateId() {
			return isDuplicate() && MongoErrorCodes.isOfId(this.message);
		}

		/** Whether MongoDB will never take the document. */
		public boolean isFinal() {
			return this.isWriteError && MongoErrorCodes.isAboutTheDocument(this.code);
		}

	}

}
