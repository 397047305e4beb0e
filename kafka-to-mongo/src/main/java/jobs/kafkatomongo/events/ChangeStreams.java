package jobs.kafkatomongo.events;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.connection.ServerDescription;
import com.mongodb.connection.ServerType;
import jobs.kafkatomongo.document.StoredMeta;
import jobs.kafkatomongo.document.Tombstone;
import jobs.kafkatomongo.events.DocumentEvent.Outcome;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponseException;

/**
 * Events from the change streams of MongoDB, which a replica set and a sharded cluster
 * have. They tell what any program does to the collection, once a majority has it, and go
 * on from a position as far as the oplog reaches back.
 */
@Component
class ChangeStreams {

	/** Changes that MongoDB sends together. */
	private static final int CHANGES_AT_ONCE = 100;

	/** Time that MongoDB waits for a change. */
	private static final Duration CHANGE_WAIT = Duration.ofSeconds(1);

	/** A resume token as MongoDB writes it, within the header that brings it back. */
	private static final Pattern TOKEN = Pattern.compile("[0-9A-Fa-f]{2,6000}");

	/** Documents may be large: of each no more than its version comes. */
	private static final List<Bson> CHANGES = List.of(
			Aggregates.match(Filters.in("operationType", "insert", "replace", "update", "delete")),
			Aggregates.project(Projections.include("operationType", "documentKey", "fullDocument._meta.version",
					"fullDocument." + Tombstone.DELETED_AT, "fullDocument." + Tombstone.ERASED_AT)));

	private final MongoClient client;

	private final MongoCollection<BsonDocument> collection;

	ChangeStreams(MongoClient client, MongoCollection<BsonDocument> collection) {
		this.client = client;
		this.collection = collection;
	}

	/** Whether a MongoDB has them, as far as it has told by now. */
	static boolean areAt(MongoClient client) {
		return servers(client)
			.anyMatch((server) -> server.getSetName() != null || server.getType() == ServerType.SHARD_ROUTER);
	}

	boolean areThere() {
		return areAt(this.client);
	}

	/** Throws {@link MongoException} where MongoDB tells nothing of itself now. */
	void requireKnown() {
		if (servers(this.client).allMatch((server) -> server.getType() == ServerType.UNKNOWN)) {
			throw new MongoException("It is not known now whether MongoDB has change streams");
		}
	}

	private static Stream<ServerDescription> servers(MongoClient client) {
		return client.getClusterDescription().getServerDescriptions().stream();
	}

	/** Whether a position has the form of theirs. */
	static boolean isPosition(String position) {
		return TOKEN.matcher(position).matches();
	}

	/**
	 * Opens one, from a position on or from now. Throws {@link LostEventsException} where
	 * MongoDB can't go on from there.
	 */
	EventStream open(@Nullable String position) {
		ChangeStreamIterable<BsonDocument> changes = this.collection.watch(CHANGES, BsonDocument.class)
			.batchSize(CHANGES_AT_ONCE)
			.maxAwaitTime(CHANGE_WAIT.toMillis(), TimeUnit.MILLISECONDS);
		if (position != null) {
			changes.resumeAfter(new BsonDocument("_data", new BsonString(position)));
		}
		try {
			return new ChangeStream(changes.cursor(), position);
		}
		catch (MongoCommandException ex) {
			if (MongoErrorCodes.isOutage(ex)) {
				throw ex;
			}
			if (position != null) {
				throw new LostEventsException();
			}
			ErrorResponseException refusal = new ErrorResponseException(HttpStatus.SERVICE_UNAVAILABLE,
					ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
							"MongoDB does not tell what changes: " + ex.getErrorMessage()),
					ex);
			refusal.getHeaders().set(HttpHeaders.RETRY_AFTER, "1");
			throw refusal;
		}
	}

	/**
	 * The changes for one client. It waits for a first one before the client gets
	 * anything: by then MongoDB has told a position, or that it can't go on.
	 */
	private static final class ChangeStream implements EventStream {

		private final MongoChangeStreamCursor<ChangeStreamDocument<BsonDocument>> cursor;

		private @Nullable ChangeStreamDocument<BsonDocument> first;

		private @Nullable String position;

		ChangeStream(MongoChangeStreamCursor<ChangeStreamDocument<BsonDocument>> cursor, @Nullable String position) {
			this.cursor = cursor;
			this.position = position;
			try {
				ChangeStreamDocument<BsonDocument> first = take();
				if (position != null && first != null) {
					this.first = first;
				}
				else {
					// one that came before the client knows that it is listening
					this.position = token();
				}
			}
			catch (RuntimeException ex) {
				cursor.close();
				throw ex;
			}
		}

		private @Nullable ChangeStreamDocument<BsonDocument> take() {
			ChangeStreamDocument<BsonDocument> change = this.cursor.tryNext();
			if (change == null && this.cursor.getServerCursor() == null) {
				// as after the collection was dropped
				throw new LostEventsException();
			}
			return change;
		}

		private @Nullable String token() {
			BsonDocument token = this.cursor.getResumeToken();
			return (token != null && token.isString("_data")) ? token.getString("_data").getValue() : null;
		}

		@Override
		public @Nullable DocumentEvent next() {
			ChangeStreamDocument<BsonDocument> change = (this.first != null) ? this.first : take();
			this.first = null;
			this.position = token();
			return (change != null) ? event(change) : null;
		}

		/** A document whose id is no text is none of ours. */
		private static @Nullable DocumentEvent event(ChangeStreamDocument<BsonDocument> change) {
			BsonDocument key = change.getDocumentKey();
			if (key == null || !key.isString("_id")) {
				return null;
			}
			String id = key.getString("_id").getValue();
			BsonDocument stored = change.getFullDocument();
			if (stored == null) {
				boolean isRemoved = "delete".equals(change.getOperationTypeString());
				return new DocumentEvent(id, null, isRemoved ? Outcome.REMOVED : Outcome.CHANGED);
			}
			Outcome outcome = Tombstone.isOfErased(stored) ? Outcome.ERASED
					: Tombstone.isOne(stored) ? Outcome.DELETED : Outcome.STORED;
			return new DocumentEvent(id, StoredMeta.version(stored), outcome);
		}

		@Override
		public boolean hasNext() {
			return this.first != null || this.cursor.available() > 0;
		}

		@Override
		public @Nullable String position() {
			return this.position;
		}

		@Override
		public void close() {
			this.cursor.close();
		}

	}

}
