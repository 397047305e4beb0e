/**
 * Scheduled tasks, and the metric of the version. Nothing that knows what a job is may
 * enter.
 */
@NullMarked
package jobs.chassis.operations;

import org.jspecify.annotations.NullMarked;
