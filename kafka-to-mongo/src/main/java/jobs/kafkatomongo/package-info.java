/**
 * The service that consumes the topic and stores the documents in MongoDB. Here are its
 * settings, such as the topic and the longest pause of an outage
 * ({@code KafkaToMongoProperties}). Nothing that does something may enter.
 */
@NullMarked
package jobs.kafkatomongo;

import org.jspecify.annotations.NullMarked;
