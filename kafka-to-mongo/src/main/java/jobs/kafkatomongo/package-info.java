/**
 * Consumes job postings from Kafka and saves them to MongoDB.
 */
@NullMarked
package jobs.kafkatomongo;

import org.jspecify.annotations.NullMarked;
