/**
 * Gives a job its id and publishes it to Kafka. Nothing of HTTP may enter, and nothing
 * that looks into a job.
 */
@NullMarked
package jobs.resttokafka.publish;

import org.jspecify.annotations.NullMarked;
