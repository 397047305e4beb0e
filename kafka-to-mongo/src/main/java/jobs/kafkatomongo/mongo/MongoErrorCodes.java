package jobs.kafkatomongo.mongo;

import java.util.Set;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.bulk.BulkWriteError;

/**
 * What MongoDB's error codes say about a document.
 */
public final class MongoErrorCodes {

	/** A unique index, that of {@code _id} or another, has the value already. */
	public static final int DUPLICATE_KEY = 11000;

	/**
	 * MongoDB's codes for "not this document". Any other code is taken for an outage and
	 * waited out, so that a code that is missing here loses nothing and is seen in the
	 * log. From MongoDB's error_codes.yml, and the codes its index builders throw.
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

	/**
	 * Whether a code says that MongoDB will never take this document.
	 * @param code the code of a write error
	 */
	public static boolean isAboutTheDocument(int code) {
		return DATA_ERRORS.contains(code);
	}

	/**
	 * What a batch failed for, without what MongoDB says of each document: that has its
	 * values, and is large.
	 * @param failure a batch that is not safe as a whole
	 * @return the failure to throw
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
