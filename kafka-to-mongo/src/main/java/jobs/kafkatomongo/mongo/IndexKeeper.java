package jobs.kafkatomongo.mongo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexModel;
import jobs.chassis.operations.Warnings;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * Keeps the indexes of a collection. It creates them once MongoDB answers, and looks
 * every ten seconds whether they are still there: whoever drops or renames a collection
 * takes its indexes away, and the next insert makes a collection without them. A build
 * that outlasts the driver's wait goes on in MongoDB.
 */
public class IndexKeeper {

	private static final Logger logger = LoggerFactory.getLogger(IndexKeeper.class);

	/** The code for an index that is there with other options. */
	private static final int OTHER_OPTIONS = 85;

	/** Time for which it is told that a collection had lost its indexes. */
	private static final Duration TOLD = Duration.ofMinutes(60);

	private final MongoDatabase database;

	private final MongoNamespace collection;

	private final BsonDocument command;

	private final Warnings.Warning warning;

	/** Whether this service has seen the indexes. */
	private boolean seen;

	/** What is told for a while of indexes that were missing. */
	private @Nullable String restored;

	private long restoredNanos;

	/** Keeps indexes; the warning is about the collection. */
	public IndexKeeper(MongoDatabase database, String collection, List<IndexModel> indexes, Warnings warnings) {
		this.database = database;
		this.collection = new MongoNamespace(database.getName(), collection);
		this.command = new BsonDocument("createIndexes", new BsonString(collection)).append("indexes",
				new BsonArray(indexes.stream().map(IndexKeeper::index).toList()));
		this.warning = warnings.about("indexes-" + collection);
	}

	/** An index with the name that the driver gives it. */
	private static BsonDocument index(IndexModel model) {
		BsonDocument keys = model.getKeys().toBsonDocument();
		String name = String.join("_",
				keys.entrySet()
					.stream()
					.map((key) -> key.getKey() + "_" + key.getValue().asInt32().getValue())
					.toList());
		BsonDocument index = new BsonDocument("key", keys).append("name", new BsonString(name));
		Long seconds = model.getOptions().getExpireAfter(TimeUnit.SECONDS);
		return (seconds != null) ? index.append("expireAfterSeconds", new BsonInt64(seconds)) : index;
	}

	@Scheduled(fixedRate = 10, timeUnit = TimeUnit.SECONDS)
	void keep() {
		try {
			// nor does it make a collection that somebody has renamed away
			String restored = (this.seen && !isThere()) ? null : create();
			if (restored != null && this.seen) {
				this.restoredNanos = System.nanoTime();
				this.restored = restored;
			}
			if (System.nanoTime() - this.restoredNanos >= TOLD.toNanos()) {
				this.restored = null;
			}
			this.warning.note(this.restored);
			this.seen = true;
		}
		catch (MongoInterruptedException ex) {
			// this service stops
			throw ex;
		}
		catch (MongoCommandException ex) {
			if (ex.getErrorCode() != OTHER_OPTIONS || !changesExpiry()) {
				this.warning
					.raise("The indexes of %s can't be created: %s".formatted(this.collection, ex.getErrorMessage()));
			}
		}
		catch (MongoException ex) {
			this.warning.unknown();
			logger.debug("The indexes of {} can't be looked at now: {}", this.collection, ex.toString());
		}
	}

	/**
	 * Gives indexes by which documents expire the time that is set now, and returns
	 * whether there was one that MongoDB has with another time. Where that is forbidden,
	 * it says so itself.
	 */
	private boolean changesExpiry() {
		boolean areChanged = false;
		for (BsonValue index : this.command.getArray("indexes")) {
			BsonValue seconds = index.asDocument().get("expireAfterSeconds");
			if (seconds != null) {
				BsonDocument change = new BsonDocument("name", index.asDocument().get("name"))
					.append("expireAfterSeconds", seconds);
				try {
					BsonDocument answer = this.database.runCommand(
							new BsonDocument("collMod", this.command.get("createIndexes")).append("index", change),
							BsonDocument.class);
					areChanged |= answer.containsKey("expireAfterSeconds_new");
				}
				catch (MongoCommandException ex) {
					if (ex.getErrorCode() == MongoErrorCodes.UNAUTHORISED) {
						this.warning.raise(
								"The time after which MongoDB removes documents of %s can't be changed: %s; it needs the right collMod"
									.formatted(this.collection, ex.getErrorMessage()));
						return true;
					}
					logger.debug("The index {} can't be changed: {}", change, ex.getErrorMessage());
				}
			}
		}
		return areChanged;
	}

	private boolean isThere() {
		return this.database.withTimeout(MongoConfiguration.QUERY_TIME.toMillis(), TimeUnit.MILLISECONDS)
			.listCollectionNames()
			.authorizedCollections(true)
			.filter(Filters.eq("name", this.collection.getCollectionName()))
			.first() != null;
	}

	/**
	 * Creates those that are missing, and says in a sentence what that tells, or nothing
	 * where none was.
	 */
	private @Nullable String create() {
		BsonDocument answer = this.database.runCommand(this.command, BsonDocument.class);
		// of a sharded cluster each shard tells
		List<BsonDocument> answers = answer.isDocument("raw")
				? answer.getDocument("raw").values().stream().map(BsonValue::asDocument).toList() : List.of(answer);
		if (answers.stream().noneMatch((one) -> count(one, "numIndexesAfter") > count(one, "numIndexesBefore"))) {
			return null;
		}
		boolean isNew = answers.stream().allMatch((one) -> count(one, "numIndexesBefore") <= 1);
		return (isNew
				? "The collection %s had lost its indexes and got them again: it was dropped or renamed, and what it had is"
						+ " not in it; look for a backup, or read the topic again"
				: "Somebody has dropped an index of %s; it was made again")
			.formatted(this.collection);
	}

	private static int count(BsonDocument answer, String field) {
		return answer.getNumber(field, new BsonInt32(0)).intValue();
	}

}
