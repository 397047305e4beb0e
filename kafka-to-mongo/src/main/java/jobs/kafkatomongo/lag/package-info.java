/**
 * For operators: how far behind the service is ({@code ConsumerLag}), and how long Kafka
 * keeps what waits ({@code TopicRetention}). Nothing that changes a job or a dead letter
 * may enter.
 */
@NullMarked
package jobs.kafkatomongo.lag;

import org.jspecify.annotations.NullMarked;
