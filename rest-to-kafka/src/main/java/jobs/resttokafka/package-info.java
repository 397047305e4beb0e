/**
 * Accepts job postings over HTTP and publishes them to Kafka: the application, above all
 * rooms. The floors, from top to bottom, are {@code http}, {@code intake},
 * {@code publish} and {@code limits}; each may use those below it.
 */
@NullMarked
package jobs.resttokafka;

import org.jspecify.annotations.NullMarked;
