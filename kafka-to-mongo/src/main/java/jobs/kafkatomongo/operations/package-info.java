/**
 * For the people who run the service: how far behind it is, and the console.
 * <p>
 * Nothing that changes a job or a dead letter may enter.
 */
@NullMarked
package jobs.kafkatomongo.operations;

import org.jspecify.annotations.NullMarked;
