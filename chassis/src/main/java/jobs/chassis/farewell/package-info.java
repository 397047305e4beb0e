/**
 * How a service takes leave of its clients. Nothing that serves them may enter.
 */
@NullMarked
package jobs.chassis.farewell;

import org.jspecify.annotations.NullMarked;
