/**
 * Topics and what they are created with ({@code TopicSettings}), Kafka's health, and
 * sending. Nothing that knows what a document is may enter.
 */
@NullMarked
package jobs.chassis.kafka;

import org.jspecify.annotations.NullMarked;
