/**
 * The service that accepts documents over HTTP and publishes them to Kafka. Here are its
 * settings ({@code RestToKafkaProperties}), such as the topic, which kafka-to-mongo has
 * as well, and the largest size of a document or of a line of an upload; and the refusals
 * of all rooms. Nothing that reads, sends or answers may enter.
 */
@NullMarked
package jobs.resttokafka;

import org.jspecify.annotations.NullMarked;
