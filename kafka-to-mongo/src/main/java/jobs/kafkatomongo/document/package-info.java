/**
 * From a record of Kafka to a document of MongoDB, and from there to JSON.
 * <p>
 * Nothing that talks to Kafka or MongoDB may enter.
 */
@NullMarked
package jobs.kafkatomongo.document;

import org.jspecify.annotations.NullMarked;
