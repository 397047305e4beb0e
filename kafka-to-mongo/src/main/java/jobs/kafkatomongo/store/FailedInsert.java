package jobs.kafkatomongo.store;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetter.Reason;
import jobs.kafkatomongo.document.Job;
import jobs.kafkatomongo.limits.Limits;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * Tells for each job of a failed insert: inserted, stored already, or refused. A job that
 * is refused for an unknown reason is refused once {@code isGivenUp} says so.
 */
record FailedInsert(List<Job> jobs, MongoBulkWriteException failure, MongoCollection<BsonDocument> collection,
		Predicate<Job> isGivenUp) {

	/** Of how many jobs MongoDB says that it took them, or has their ids. */
	static int answeredWell(List<Job> jobs, MongoBulkWriteException failure) {
		if (failure.getWriteConcernError() != null) {
			return 0;
		}
		return jobs.size() - (int) failure.getWriteErrors()
			.stream()
			.filter((error) -> error.getCode() != MongoErrorCodes.DUPLICATE_KEY)
			.count();
	}

	/** The jobs that MongoDB has, none while a majority may lack them. */
	List<Job> inserted() {
		if (this.failure.getWriteConcernError() != null) {
			return List.of();
		}
		BitSet refused = new BitSet();
		this.failure.getWriteErrors().forEach((error) -> refused.set(error.getIndex()));
		return IntStream.range(0, this.jobs.size())
			.filter((index) -> !refused.get(index))
			.mapToObj(this.jobs::get)
			.toList();
	}

	/**
	 * The jobs whose data MongoDB can't take, without those that are stored already.
	 * Throws {@link MongoException} when the batch as a whole is not safe.
	 */
	List<DeadLetter> refused() {
		if (this.failure.getWriteConcernError() != null) {
			throw MongoErrorCodes.unsafe(this.failure);
		}
		List<DeadLetter> refused = new ArrayList<>();
		List<BulkWriteError> duplicates = new ArrayList<>();
		boolean mustWait = false;
		for (BulkWriteError error : this.failure.getWriteErrors()) {
			if (error.getCode() == MongoErrorCodes.DUPLICATE_KEY) {
				duplicates.add(error);
			}
			else if (MongoErrorCodes.isAboutTheDocument(error.getCode())) {
				refused.add(refusal(error));
			}
			else if (MongoErrorCodes.isOutage(error.getCode())) {
				throw MongoErrorCodes.unsafe(this.failure);
			}
			else if (this.isGivenUp.test(this.jobs.get(error.getIndex()))) {
				refused.add(refusal(error));
			}
			else {
				mustWait = true;
			}
		}
		if (mustWait) {
			throw MongoErrorCodes.unsafe(this.failure);
		}
		if (!duplicates.isEmpty()) {
			refused.addAll(refusedDuplicates(duplicates));
		}
		return refused;
	}

	private List<DeadLetter> refusedDuplicates(List<BulkWriteError> duplicates) {
		Map<BsonValue, BsonDocument> digests = digests(duplicates);
		List<DeadLetter> refused = new ArrayList<>();
		List<Job> differing = new ArrayList<>();
		for (BulkWriteError error : duplicates) {
			Job job = this.jobs.get(error.getIndex());
			BsonDocument digest = digests.get(job.id());
			if (digest == null && MongoErrorCodes.isOfId(error)) {
				// the stored job was deleted just now: the retry stores this one
				throw MongoErrorCodes.unsafe(this.failure);
			}
			if (digest == null) {
				refused.add(refusal(error));
			}
			else if (!job.hasDigestOf(digest)) {
				differing.add(job);
			}
		}
		refused.addAll(conflicts(differing));
		return refused;
	}

	/** The stored documents with the jobs' ids, reduced to the digests of their bytes. */
	private Map<BsonValue, BsonDocument> digests(List<BulkWriteError> duplicates) {
		List<BsonValue> ids = duplicates.stream().map((error) -> this.jobs.get(error.getIndex()).id()).toList();
		Map<BsonValue, BsonDocument> digests = new HashMap<>();
		this.collection.find(Filters.in("_id", ids))
			.projection(Projections.include("_meta.sha256"))
			.forEach((document) -> digests.put(document.get("_id"), document));
		return digests;
	}

	/** The jobs whose fields differ from those of the document stored under their id. */
	private List<DeadLetter> conflicts(List<Job> differing) {
		Map<BsonValue, List<Job>> byId = differing.stream().collect(Collectors.groupingBy(Job::id));
		List<DeadLetter> conflicts = new ArrayList<>();
		if (!byId.isEmpty()) {
			this.collection.find(Filters.in("_id", byId.keySet())).batchSize(Limits.COMPARED).forEach((stored) -> {
				for (Job job : Objects.requireNonNull(byId.remove(stored.get("_id")))) {
					if (!job.hasFieldsOf(stored)) {
						conflicts.add(new DeadLetter(job.record(), Reason.CONFLICT,
								"Another job is stored with this id; the first one stays", null));
					}
				}
			});
		}
		if (!byId.isEmpty()) {
			// some stored jobs were deleted just now: the retry stores these
			throw MongoErrorCodes.unsafe(this.failure);
		}
		return conflicts;
	}

	private DeadLetter refusal(BulkWriteError error) {
		return new DeadLetter(this.jobs.get(error.getIndex()).record(), Reason.MONGODB, error.getMessage(),
				error.getCode());
	}

}
