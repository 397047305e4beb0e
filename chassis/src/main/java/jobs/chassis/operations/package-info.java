/**
 * For the operators of any service: the parts on which it depends ({@code Part},
 * {@code Backend}), the metric of its version, scheduled tasks, traces of requests (W3C
 * Trace Context), and time to drain connections before it stops. Nothing that knows what
 * a document is may enter.
 */
@NullMarked
package jobs.chassis.operations;

import org.jspecify.annotations.NullMarked;
