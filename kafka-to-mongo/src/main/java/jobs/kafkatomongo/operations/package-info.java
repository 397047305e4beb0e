/**
 * For operators: how far behind the service is ({@code Backlog}), and how long Kafka
 * keeps what waits ({@code TopicRetention}). Nothing that changes a job or a dead letter
 * may enter.
 */
@NullMarked
package jobs.kafkatomongo.operations;

import org.jspecify.annotations.NullMarked;
