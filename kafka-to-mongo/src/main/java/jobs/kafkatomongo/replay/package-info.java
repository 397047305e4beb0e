/**
 * {@code /dead-letters}: looking at dead letters, correcting, replaying and discarding
 * them.
 * <p>
 * How they come about is decided in {@code store} and {@code deadletter}.
 */
@NullMarked
package jobs.kafkatomongo.replay;

import org.jspecify.annotations.NullMarked;
