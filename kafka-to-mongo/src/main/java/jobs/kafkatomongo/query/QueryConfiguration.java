package jobs.kafkatomongo.query;

import java.util.List;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Indexes;
import jobs.kafkatomongo.mongo.IndexKeeper;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Keeps the indexes that {@link StoredJobs} needs. */
@Configuration(proxyBeanMethods = false)
class QueryConfiguration {

	@Bean
	IndexKeeper jobIndexes(MongoCollection<BsonDocument> collection) {
		Bson newestFirst = Indexes.descending(StoredJobs.ACCEPTED_AT, "_id");
		return new IndexKeeper(collection,
				List.of(newestFirst, Indexes.compoundIndex(Indexes.ascending("company"), newestFirst)));
	}

}
