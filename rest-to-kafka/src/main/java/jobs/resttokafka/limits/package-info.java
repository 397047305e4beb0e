/**
 * Settings, fixed bounds, and the refusal of what goes beyond. Nothing that reads, sends
 * or answers may enter.
 */
@NullMarked
package jobs.resttokafka.limits;

import org.jspecify.annotations.NullMarked;
