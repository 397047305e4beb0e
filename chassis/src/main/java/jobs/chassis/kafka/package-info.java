/**
 * The topics that a service requires, whether Kafka answers, and how a record is sent.
 * <p>
 * Nothing that knows what a job is may enter.
 */
@NullMarked
package jobs.chassis.kafka;

import org.jspecify.annotations.NullMarked;
