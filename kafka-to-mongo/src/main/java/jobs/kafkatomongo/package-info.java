/**
 * Consumes job postings from Kafka and saves them to MongoDB: the application, above all
 * rooms. The floors, from top to bottom, are {@code store}, {@code replay} and
 * {@code query}; {@code operations}; {@code deadletter}; {@code outage}, {@code http},
 * {@code document} and {@code mongo}; {@code limits}. Each may use those below it.
 */
@NullMarked
package jobs.kafkatomongo;

import org.jspecify.annotations.NullMarked;
