/**
 * How much this service allows, in settings and fixed bounds.
 * <p>
 * Nothing that does something may enter.
 */
@NullMarked
package jobs.kafkatomongo.limits;

import org.jspecify.annotations.NullMarked;
