/**
 * What pages of other origins may read. Nothing that knows who may do what may enter.
 */
@NullMarked
package jobs.chassis.access;

import org.jspecify.annotations.NullMarked;
