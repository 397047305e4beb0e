/**
 * Settings that a user may change ({@code KafkaToMongoProperties}), and fixed bounds
 * ({@code Limits}). Nothing that does something may enter.
 */
@NullMarked
package jobs.kafkatomongo.limits;

import org.jspecify.annotations.NullMarked;
