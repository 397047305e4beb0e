package jobs.kafkatomongo;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.Projections;
import jobs.kafkatomongo.DeadLetter.Reason;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/**
 * Stores batches of jobs in MongoDB, each job once.
 */
class JobStore {

	private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

	private static final int DUPLICATE_KEY = 11000;

	/** Whole documents held at a time, of which each may take megabytes. */
	private static final int FEW = 10;

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

	private final MongoCollection<BsonDocument> collection;

	private final JobMetrics metrics;

	JobStore(MongoCollection<BsonDocument> collection, JobMetrics metrics) {
		this.collection = collection.withWriteConcern(WriteConcern.MAJORITY.withWTimeout(10, TimeUnit.SECONDS))
			// another may not have what is compared yet
			.withReadPreference(ReadPreference.primary());
		this.metrics = metrics;
	}

	/**
	 * Stores a batch with one unordered insert. A job that is stored already counts as
	 * stored.
	 * @param jobs the batch
	 * @return the jobs whose data MongoDB can't take
	 * @throws MongoException when the batch as a whole is not safe: store it again later
	 */
	List<DeadLetter> store(List<Job> jobs) {
		if (jobs.isEmpty()) {
			return List.of();
		}
		try {
			this.collection.withDocumentClass(RawBsonDocument.class)
				.insertMany(jobs.stream().map(Job::document).toList(), UNORDERED);
			this.metrics.stored(jobs);
			return List.of();
		}
		catch (MongoBulkWriteException ex) {
			List<DeadLetter> refused = refused(jobs, ex);
			this.metrics.stored(inserted(jobs, ex));
			this.metrics.duplicates(ex.getWriteErrors().size() - refused.size());
			return refused;
		}
	}

	/**
	 * Whether a code of MongoDB's says that it will never take this document.
	 */
	static boolean isAboutTheDocument(int code) {
		return DATA_ERRORS.contains(code);
	}

	private static List<Job> inserted(List<Job> jobs, MongoBulkWriteException failure) {
		BitSet refused = new BitSet();
		failure.getWriteErrors().forEach((error) -> refused.set(error.getIndex()));
		return IntStream.range(0, jobs.size()).filter((index) -> !refused.get(index)).mapToObj(jobs::get).toList();
	}

	private List<DeadLetter> refused(List<Job> jobs, MongoBulkWriteException failure) {
		if (failure.getWriteConcernError() != null) {
			throw unsafe(failure);
		}
		List<DeadLetter> refused = new ArrayList<>();
		List<BulkWriteError> duplicates = new ArrayList<>();
		for (BulkWriteError error : failure.getWriteErrors()) {
			if (error.getCode() == DUPLICATE_KEY) {
				duplicates.add(error);
			}
			else if (isAboutTheDocument(error.getCode())) {
				refused.add(refusal(jobs.get(error.getIndex()), error));
			}
			else {
				throw unsafe(failure);
			}
		}
		Map<BsonValue, BsonDocument> digests = digests(
				duplicates.stream().map((error) -> jobs.get(error.getIndex()).id()).toList());
		List<Job> differing = new ArrayList<>();
		for (BulkWriteError error : duplicates) {
			Job job = jobs.get(error.getIndex());
			BsonDocument digest = digests.get(job.id());
			if (digest == null && isOfId(error)) {
				// it was deleted just now: store it again
				throw unsafe(failure);
			}
			if (digest == null) {
				refused.add(refusal(job, error));
			}
			else if (!job.hasDigestOf(digest)) {
				differing.add(job);
			}
		}
		refused.addAll(conflicts(differing, failure));
		return refused;
	}

	/**
	 * The jobs that differ from what is stored with their ids, not in their bytes alone.
	 */
	private List<DeadLetter> conflicts(List<Job> differing, MongoBulkWriteException failure) {
		Map<BsonValue, List<Job>> byId = differing.stream().collect(Collectors.groupingBy(Job::id));
		List<DeadLetter> conflicts = new ArrayList<>();
		if (!byId.isEmpty()) {
			this.collection.find(Filters.in("_id", byId.keySet())).batchSize(FEW).forEach((stored) -> {
				for (Job job : Objects.requireNonNull(byId.remove(stored.get("_id")))) {
					if (!job.hasFieldsOf(stored)) {
						conflicts.add(new DeadLetter(job.record(), Reason.CONFLICT,
								"Another job is stored with this id; the first one stays", null));
					}
				}
			});
		}
		if (!byId.isEmpty()) {
			// some were deleted just now: store them again
			throw unsafe(failure);
		}
		return conflicts;
	}

	/**
	 * What a batch failed for, without what MongoDB says of each document: that has its
	 * values, and is large.
	 */
	static MongoException unsafe(MongoBulkWriteException failure) {
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

	private static DeadLetter refusal(Job job, BulkWriteError error) {
		return new DeadLetter(job.record(), Reason.MONGODB, error.getMessage(), error.getCode());
	}

	private Map<BsonValue, BsonDocument> digests(List<BsonValue> ids) {
		Map<BsonValue, BsonDocument> digests = new HashMap<>();
		if (!ids.isEmpty()) {
			this.collection.find(Filters.in("_id", ids))
				.projection(Projections.include("_meta.sha256"))
				.forEach((document) -> digests.put(document.get("_id"), document));
		}
		return digests;
	}

	/**
	 * Whether a duplicate is one of {@code _id}: the message names the index before it
	 * quotes the value.
	 */
	private static boolean isOfId(BulkWriteError error) {
		String message = error.getMessage();
		return message.startsWith("index: _id_ ", Math.max(0, message.indexOf("index: ")));
	}

}
