/**
 * What a service does beside requests and records: scheduled tasks, and telling what it
 * is.
 * <p>
 * Nothing that knows what a job is may enter.
 */
@NullMarked
package jobs.chassis.operations;

import org.jspecify.annotations.NullMarked;
