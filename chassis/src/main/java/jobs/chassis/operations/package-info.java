/**
 * What operators need of any service: the parts on which it depends ({@code Part},
 * {@code Backend}), the metric of its version, and scheduled tasks. Nothing that knows
 * what a job is may enter.
 */
@NullMarked
package jobs.chassis.operations;

import org.jspecify.annotations.NullMarked;
