package jobs.kafkatomongo.store;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.events.StoredEvents;
import jobs.kafkatomongo.mongo.BulkWriter;
import jobs.kafkatomongo.mongo.MongoConfiguration;
import jobs.kafkatomongo.mongo.PoisonCandidates;
import org.bson.BsonDocument;

import org.springframework.stereotype.Component;

/** Stores documents in the collection of a resource, each once. */
@Component
class DocumentStore {

	private final MongoCollection<BsonDocument> collection;

	private final StoreMetrics metrics;

	private final StoredEvents events;

	private final boolean hasVersions;

	/** Whether most documents were new lately, where they have versions. */
	private final AtomicBoolean areNew = new AtomicBoolean(true);

	private final BulkWriter.Shared shared = new BulkWriter.Shared();

	private final ThreadLocal<PoisonCandidates> candidates;

	DocumentStore(MongoCollection<BsonDocument> collection, StoreMetrics metrics, StoredEvents events,
			KafkaToMongoProperties properties, Resource resource) {
		this.collection = collection.withWriteConcern(
				WriteConcern.MAJORITY.withWTimeout(MongoConfiguration.MAJORITY_WAIT.toMillis(), TimeUnit.MILLISECONDS));
		this.metrics = metrics;
		this.events = events;
		this.hasVersions = resource.hasVersions();
		this.candidates = ThreadLocal.withInitial(() -> new PoisonCandidates(properties, this.shared.creations()));
	}

	/** Begins one try of a batch, for the consumer whose thread this is. */
	StoreBatch batch() {
		return this.hasVersions
				? new NewestWins(this.collection, this.metrics, this.events,
						new VersionWrites(this.collection, this.areNew), this.shared, this.candidates.get())
				: new FirstStays(this.collection, this.metrics, this.events, this.shared, this.candidates.get());
	}

}
