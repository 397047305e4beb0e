/**
 * How far behind the consumer group is ({@code ConsumerLag}), and how long Kafka keeps
 * the records that wait ({@code TopicRetention}). Nothing that changes a document or a
 * dead letter may enter.
 */
@NullMarked
package jobs.kafkatomongo.lag;

import org.jspecify.annotations.NullMarked;
