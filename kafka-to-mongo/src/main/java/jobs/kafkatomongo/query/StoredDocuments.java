package jobs.kafkatomongo.query;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Sorts;
import jobs.contract.Decimals;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.document.StoredMeta;
import jobs.kafkatomongo.document.Tombstone;
import jobs.kafkatomongo.http.ListPage;
import jobs.kafkatomongo.mongo.MongoConfiguration;
import org.bson.BsonBoolean;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/** Reads stored documents, the newest first by the time of acceptance. */
@Component
class StoredDocuments {

	/** Documents of a page in memory, since all might not fit. */
	private static final int PAGE_BATCH = 4;

	static final String ACCEPTED_AT = "_meta.acceptedAt";

	private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d{0,33})(\\.\\d{1,33})?([eE][+-]?\\d{1,4})?");

	private final MongoCollection<RawBsonDocument> collection;

	StoredDocuments(MongoCollection<BsonDocument> collection) {
		this.collection = collection.withDocumentClass(RawBsonDocument.class)
			.withTimeout(MongoConfiguration.QUERY_TIME.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Nullable RawBsonDocument find(String id) {
		return this.collection.find(Filters.eq("_id", id)).first();
	}

	/**
	 * Whether a document, in this version or a higher one, or its tombstone is stored.
	 */
	boolean isStored(String id, @Nullable Long version) {
		BsonDocument stored = this.collection.find(Filters.eq("_id", id))
			.projection(Projections.include("_id", StoredMeta.VERSION, Tombstone.ERASED_AT))
			.first();
		return stored != null && (version == null || Tombstone.isOfErased(stored) || isAtLeast(version, stored));
	}

	private static boolean isAtLeast(long version, BsonDocument stored) {
		Long own = StoredMeta.version(stored);
		return own != null && own >= version;
	}

	/**
	 * The paths of the fields by which documents of a resource are found: of
	 * {@code /customer/name} it is {@code customer.name}.
	 */
	static List<String> fields(Resource resource) {
		return resource.findBy().stream().map((pointer) -> pointer.substring(1).replace('/', '.')).toList();
	}

	/**
	 * Lists the documents of a page whose fields have the given texts. A text that is a
	 * number or a boolean in JSON stands for that, too.
	 */
	FindIterable<RawBsonDocument> list(ListPage page, Map<String, @Nullable String> fields) {
		List<Bson> filters = new ArrayList<>();
		fields.forEach((field, text) -> {
			if (text != null) {
				List<BsonValue> values = values(text);
				filters.add((values.size() > 1) ? Filters.in(field, values) : Filters.eq(field, text));
			}
		});
		filters.add(page.filter(ACCEPTED_AT));
		return this.collection.find(Filters.and(filters))
			.sort(Sorts.descending(ACCEPTED_AT, "_id"))
			.limit(page.limit())
			.batchSize(PAGE_BATCH);
	}

	private static List<BsonValue> values(String text) {
		List<BsonValue> values = new ArrayList<>(List.of(new BsonString(text)));
		if (text.equals("true") || text.equals("false")) {
			values.add(new BsonBoolean(text.equals("true")));
		}
		if (NUMBER.matcher(text).matches() && Decimals.canBeKept(text)) {
			BigDecimal number = new BigDecimal(text);
			values.add(Decimals.isDouble(number) ? new BsonDouble(number.doubleValue())
					: new BsonDecimal128(new Decimal128(number)));
		}
		return values;
	}

}
