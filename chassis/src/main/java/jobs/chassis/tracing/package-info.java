/**
 * Traces of requests (W3C Trace Context), and their ids in logs, problems and records.
 * Nothing that knows what a job is may enter.
 */
@NullMarked
package jobs.chassis.tracing;

import org.jspecify.annotations.NullMarked;
