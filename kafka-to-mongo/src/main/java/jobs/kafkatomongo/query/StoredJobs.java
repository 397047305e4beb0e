package jobs.kafkatomongo.query;

import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Sorts;
import jobs.chassis.operations.Warnings;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.http.ListPage;
import jobs.kafkatomongo.mongo.IndexKeeper;
import jobs.kafkatomongo.mongo.MongoConfiguration;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.stereotype.Component;

/** Reads stored jobs, the newest first by the time of acceptance. */
@Component
class StoredJobs {

	/** Jobs of a page in memory, since all might not fit. */
	private static final int PAGE_BATCH = 4;

	static final String ACCEPTED_AT = "_meta.acceptedAt";

	private final MongoCollection<RawBsonDocument> collection;

	StoredJobs(MongoCollection<BsonDocument> collection) {
		this.collection = collection.withDocumentClass(RawBsonDocument.class)
			.withTimeout(MongoConfiguration.QUERY_TIME.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Nullable RawBsonDocument find(String id) {
		return this.collection.find(Filters.eq("_id", id)).first();
	}

	boolean isStored(String id) {
		return this.collection.find(Filters.eq("_id", id)).projection(Projections.include("_id")).first() != null;
	}

	/** Lists the jobs of a page, of one company or, for {@code null}, of all. */
	FindIterable<RawBsonDocument> list(ListPage page, @Nullable String company) {
		Bson filter = page.filter(ACCEPTED_AT);
		return this.collection.find((company != null) ? Filters.and(Filters.eq("company", company), filter) : filter)
			.sort(Sorts.descending(ACCEPTED_AT, "_id"))
			.limit(page.limit())
			.batchSize(PAGE_BATCH);
	}

	/** Keeps the indexes that {@link StoredJobs} needs. */
	@Configuration(proxyBeanMethods = false)
	static class QueryConfiguration {

		@Bean
		IndexKeeper jobIndexes(MongoDatabaseFactory mongo, KafkaToMongoProperties properties, Warnings warnings) {
			Bson newestFirst = Indexes.descending(StoredJobs.ACCEPTED_AT, "_id");
			return new IndexKeeper(mongo.getMongoDatabase(), properties.collection(),
					List.of(newestFirst, Indexes.compoundIndex(Indexes.ascending("company"), newestFirst)), warnings);
		}

	}

}
