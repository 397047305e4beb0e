/**
 * Tries a new contract on what is there, as a command beside the service. Nothing that
 * writes to Kafka or MongoDB may enter.
 */
@NullMarked
package jobs.kafkatomongo.trial;

import org.jspecify.annotations.NullMarked;
