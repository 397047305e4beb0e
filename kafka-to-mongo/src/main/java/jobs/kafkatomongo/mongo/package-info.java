/**
 * Facts of MongoDB itself: which error codes are final and which are an outage
 * ({@code MongoErrorCodes}), bulk writes and the documents that fail them, indexes,
 * health, and the connection. The fields of documents and dead letters may not enter.
 */
@NullMarked
package jobs.kafkatomongo.mongo;

import org.jspecify.annotations.NullMarked;
