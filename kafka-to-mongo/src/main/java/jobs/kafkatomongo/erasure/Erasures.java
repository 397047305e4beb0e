package jobs.kafkatomongo.erasure;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndReplaceOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReturnDocument;
import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.kafkatomongo.document.Tombstone;
import jobs.kafkatomongo.events.StoredEvents;
import jobs.kafkatomongo.mongo.MongoConfiguration;
import org.bson.BsonDocument;

import org.springframework.stereotype.Component;

/** Erases documents and their dead letters in MongoDB. */
@Component
class Erasures {

	private static final FindOneAndReplaceOptions BEFORE = new FindOneAndReplaceOptions().upsert(true)
		.returnDocument(ReturnDocument.BEFORE)
		.projection(Projections.include(Tombstone.ERASED_AT, Tombstone.DELETED_AT));

	private final MongoCollection<BsonDocument> documents;

	private final DeadLetterCollection deadLetters;

	private final StoredEvents events;

	Erasures(MongoCollection<BsonDocument> collection, DeadLetterCollection deadLetters, StoredEvents events) {
		this.documents = collection.withWriteConcern(WriteConcern.MAJORITY)
			.withTimeout(MongoConfiguration.QUERY_TIME.toMillis(), TimeUnit.MILLISECONDS);
		this.deadLetters = deadLetters;
		this.events = events;
	}

	/**
	 * Puts a tombstone in the place of a document, whether it is stored or not, and marks
	 * in the place of its dead letters. Erasing it once more does no harm. Throws
	 * {@link com.mongodb.MongoException} where a majority does not have it in time.
	 * @param entry what is left of the history of each dead letter
	 */
	Erased erase(String id, BsonDocument entry) {
		BsonDocument before = this.documents.findOneAndReplace(Filters.eq("_id", id), Tombstone.of(id, Instant.now()),
				BEFORE);
		this.events.erased(id);
		int deadLetters = this.deadLetters.erase(id, entry);
		return new Erased(before != null && !Tombstone.isOne(before), deadLetters, this.deadLetters.hasAny(id));
	}

	/**
	 * What was erased.
	 *
	 * @param wasStored whether the document was stored
	 * @param deadLetters how many dead letters it had
	 * @param hasMore whether it has more of them, for another call
	 */
	record Erased(boolean wasStored, int deadLetters, boolean hasMore) {

	}

}
