/**
 * How much each client may send, once security is switched on. Nothing that knows who may
 * do what may enter.
 */
@NullMarked
package jobs.chassis.rate;

import org.jspecify.annotations.NullMarked;
