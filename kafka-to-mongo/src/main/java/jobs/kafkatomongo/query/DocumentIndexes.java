package jobs.kafkatomongo.query;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.model.IndexModel;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import jobs.chassis.operations.Warnings;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.document.StoredMeta;
import jobs.kafkatomongo.document.Tombstone;
import jobs.kafkatomongo.mongo.IndexKeeper;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.MongoDatabaseFactory;

/**
 * Keeps the indexes of stored documents: those that {@link StoredDocuments} needs, and
 * those by which MongoDB removes what has expired and the marks of deleted documents.
 */
@Configuration(proxyBeanMethods = false)
class DocumentIndexes {

	/** What MongoDB takes as the longest time of an index, some 68 years. */
	private static final long LONGEST_SECONDS = Integer.MAX_VALUE;

	@Bean
	IndexKeeper documentIndexKeeper(MongoDatabaseFactory mongo, Resource resource, KafkaToMongoProperties properties,
			Warnings warnings) {
		Bson newestFirst = Indexes.descending(StoredDocuments.ACCEPTED_AT, "_id");
		List<IndexModel> indexes = new ArrayList<>(List.of(new IndexModel(newestFirst)));
		StoredDocuments.fields(resource)
			.forEach((field) -> indexes
				.add(new IndexModel(Indexes.compoundIndex(Indexes.ascending(field), newestFirst))));
		if (resource.hasVersions()) {
			indexes.add(expiring(Tombstone.DELETED_AT, properties.deletedKept()));
		}
		if (resource.keys().expires() != null) {
			indexes.add(expiring(StoredMeta.EXPIRES_AT, null));
		}
		return new IndexKeeper(mongo.getMongoDatabase(), resource.collection(), indexes, warnings);
	}

	/**
	 * An index by which a document goes a time after that in a field: at once for
	 * {@code null}, and never for 0.
	 */
	private static IndexModel expiring(String field, @Nullable Duration after) {
		long seconds = 0;
		if (after != null) {
			seconds = after.isZero() ? LONGEST_SECONDS : Math.clamp(after.toSeconds(), 1, LONGEST_SECONDS);
		}
		return new IndexModel(Indexes.ascending(field), new IndexOptions().expireAfter(seconds, TimeUnit.SECONDS));
	}

}
