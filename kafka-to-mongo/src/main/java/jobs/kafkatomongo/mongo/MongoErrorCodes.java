package jobs.kafkatomongo.mongo;

import java.util.Set;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.bulk.BulkWriteError;

/** Tells from MongoDB's error codes whether a document is at fault. */
public final class MongoErrorCodes {

	/** A unique index, of {@code _id} or another field, has the value already. */
	public static final int DUPLICATE_KEY = 11000;

	/**
	 * The codes for a fault of one document, from MongoDB's error_codes.yml and its index
	 * builders. Any other code counts as an outage and is waited out, so that a code
	 * missing here loses no job and shows in the log.
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
			13026, 13027, 16572, 16755, 16756, 16766, 17261, 17262);

	private MongoErrorCodes() {
	}

	/** Whether a write error's code says that MongoDB will never take the document. */
	public static boolean isAboutTheDocument(int code) {
		return DATA_ERRORS.contains(code);
	}

	/**
	 * The exception for a batch that is not safe, without MongoDB's messages about each
	 * document, which are large and contain its values.
	 */
	public static MongoException unsafe(MongoBulkWriteException failure) {
		String cause = (failure.getWriteConcernError() != null) ? failure.getWriteConcernError().getMessage()
				: failure.getWriteErrors()
					.stream()
					.filter((error) -> !isAboutTheDocument(error.getCode()) && error.getCode() != DUPLICATE_KEY)
					.map(BulkWriteError::getMessage)
					.findFirst()
					.orElse("a document was deleted meanwhile");
		return new MongoException(failure.getCode(),
				"MongoDB refused %d of a batch: %s".formatted(failure.getWriteErrors().size(), cause));
	}

}
