/**
 * {@code /dead-letters}: looking at dead letters, correcting, replaying and discarding
 * them. The reasons that make a record a dead letter may not enter.
 */
@NullMarked
package jobs.kafkatomongo.replay;

import org.jspecify.annotations.NullMarked;
