/**
 * Gives a document its id and publishes it to Kafka. Nothing of HTTP may enter, and
 * nothing that looks into a document.
 */
@NullMarked
package jobs.resttokafka.publish;

import org.jspecify.annotations.NullMarked;
