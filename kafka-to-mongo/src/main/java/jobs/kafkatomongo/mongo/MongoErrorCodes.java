package jobs.kafkatomongo.mongo;

import java.util.Set;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.MongoServerException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.WriteConcernError;

/** Tells from MongoDB's error codes whether a document or MongoDB is at fault. */
public final class MongoErrorCodes {

	/** A unique index, of {@code _id} or another field, has the value already. */
	public static final int DUPLICATE_KEY = 11000;

	/** The code for a command that the service's login has no right to. */
	public static final int UNAUTHORISED = 13;

	/**
	 * The codes for a fault of one document, from MongoDB's error_codes.yml and its index
	 * builders. A document with one of them is given up at once. A code that stands in
	 * neither list is for {@link PoisonCandidates}.
	 */
	private static final Set<Integer> DATA_ERRORS = Set.of(
			// BadValue, FailedToParse, TypeMismatch, Overflow, InvalidBSON
			2, 9, 14, 15, 22,
			// DollarPrefixedFieldName, InvalidIdField, EmptyFieldName, DottedFieldName
			52, 53, 56, 57,
			// ImmutableField, CannotBuildIndexKeys, DocumentValidationFailure
			66, 201, 121,
			// CannotIndexParallelArrays, BSONObjectTooLarge, KeyTooLong
			171, 10334, 17280,
			// geo, hashed and text indexes
			13026, 13027, 13067, 13068, 16572, 16755, 16756, 16766, 16804, 17261, 17262);

	/**
	 * The codes for a state of MongoDB that ends, which is waited out without end. They
	 * are those of error_codes.yml with a category for it, and some that have none.
	 */
	private static final Set<Integer> OUTAGES = Set.of(
			// the network
			6, 7, 89, 145, 202, 279, 303, 317, 354, 372, 384, 398, 407, 450, 9001, 56846,
			// no primary, or one that steps down or shuts down
			90, 91, 109, 133, 149, 189, 216, 308, 310, 333, 10058, 10107, 11600, 11602, 13435, 13436,
			// interrupted, too slow, locked
			24, 46, 50, 107, 112, 208, 237, 262, 267, 281, 282, 290, 312, 355, 363, 453, 11601, 46841, 91331, 10045600,
			// shards that move
			63, 117, 150, 203, 215, 227, 239, 246, 249, 250, 272, 319, 338, 342, 343, 358, 406, 412, 414, 13388, 50915,
			// majority writes and reads, keys of the cluster's time
			64, 75, 79, 100, 134, 211,
			// a name that is another's: of a view, in other letters, of another set or
			// shard
			20, 70, 71, 73, 93, 94, 166, 13297,
			// rights, disk, memory, files, load; the last is Azure's TooManyRequests
			13, 18, 42, 146, 261, 264, 365, 371, 391, 402, 433, 449, 462, 8000, 12586, 12587, 14031, 16500);

	private MongoErrorCodes() {
	}

	/** Whether a write error's code says that MongoDB will never take the document. */
	public static boolean isAboutTheDocument(int code) {
		return DATA_ERRORS.contains(code);
	}

	/** Whether a code says that MongoDB is not able to write now. */
	public static boolean isOutage(int code) {
		return OUTAGES.contains(code);
	}

	/**
	 * Whether a failure is of MongoDB's state, or of the driver, as a lost connection. A
	 * server that tells no code has answered about the command.
	 */
	public static boolean isOutage(MongoException failure) {
		boolean isOfTheDriver = failure.getCode() <= 0 && !(failure instanceof MongoServerException);
		return isOfTheDriver || isOutage(failure.getCode());
	}

	/**
	 * Whether the message of a duplicate is about {@code _id}. MongoDB names the index
	 * before it quotes the value, which may be any text.
	 */
	static boolean isOfId(String message) {
		return message.startsWith("index: _id_ ", Math.max(0, message.indexOf("index: ")));
	}

	/**
	 * The exception for a command after which not all documents are safe, without
	 * MongoDB's messages about each document, which are large and contain its values. It
	 * has the code of an outage, or the driver's, below zero.
	 */
	static MongoException unsafe(MongoBulkWriteException failure) {
		WriteConcernError concern = failure.getWriteConcernError();
		if (concern != null) {
			return refused(failure.getCode(), failure.getWriteErrors().size(), concern.getMessage());
		}
		BulkWriteError outage = failure.getWriteErrors()
			.stream()
			.filter((error) -> isOutage(error.getCode()))
			.findFirst()
			.orElseThrow();
		return refused(outage.getCode(), failure.getWriteErrors().size(), outage.getMessage());
	}

	/** The exception for documents that wait, with the code and the words of one. */
	public static MongoException refused(int code, int documents, String cause) {
		return new MongoException(code, "MongoDB refused %d of a batch: %s".formatted(documents, cause));
	}

}
