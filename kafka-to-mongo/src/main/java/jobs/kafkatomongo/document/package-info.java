/**
 * From a Kafka record to a MongoDB document, and from there to JSON. Nothing that talks
 * to Kafka or MongoDB may enter.
 */
@NullMarked
package jobs.kafkatomongo.document;

import org.jspecify.annotations.NullMarked;
