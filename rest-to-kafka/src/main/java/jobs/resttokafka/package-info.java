/**
 * The service that accepts jobs over HTTP and publishes them to Kafka. Here are its
 * settings, such as the topic and the size of a job ({@code RestToKafkaProperties}), and
 * the refusals of all rooms. Nothing that reads, sends or answers may enter.
 */
@NullMarked
package jobs.resttokafka;

import org.jspecify.annotations.NullMarked;
