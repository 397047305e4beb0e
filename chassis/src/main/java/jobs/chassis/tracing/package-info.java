/**
 * Traces (W3C Trace Context) of requests, and what is written of them into logs, problems
 * and records.
 * <p>
 * Nothing that knows what a job is may enter.
 */
@NullMarked
package jobs.chassis.tracing;

import org.jspecify.annotations.NullMarked;
