/**
 * Accepts job postings over HTTP and publishes them to Kafka.
 */
@NullMarked
package jobs.resttokafka;

import org.jspecify.annotations.NullMarked;
