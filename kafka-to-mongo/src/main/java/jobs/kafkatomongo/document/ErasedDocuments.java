package jobs.kafkatomongo.document;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import jobs.kafkatomongo.mongo.MongoConfiguration;
import org.bson.BsonDocument;

import org.springframework.stereotype.Component;

/** Tells which documents were erased, as their {@link Tombstone}s say. */
@Component
public class ErasedDocuments {

	private final MongoCollection<BsonDocument> documents;

	/** Looks into the collection of the documents. */
	public ErasedDocuments(MongoCollection<BsonDocument> collection) {
		this.documents = collection.withTimeout(MongoConfiguration.QUERY_TIME.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Those of some ids whose documents were erased. Throws
	 * {@link com.mongodb.MongoException} where MongoDB does not tell.
	 */
	public Set<String> among(Collection<String> ids) {
		Set<String> erased = new HashSet<>();
		if (!ids.isEmpty()) {
			this.documents.find(Filters.in("_id", ids))
				.projection(Projections.include("_id", Tombstone.ERASED_AT))
				.forEach((stored) -> {
					if (Tombstone.isOfErased(stored)) {
						erased.add(stored.getString("_id").getValue());
					}
				});
		}
		return erased;
	}

}
