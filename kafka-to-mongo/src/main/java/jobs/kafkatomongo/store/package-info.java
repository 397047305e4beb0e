/**
 * The loop: a batch of records is stored, each job once, and its offsets are committed.
 * <p>
 * Nothing reaches into this room; whoever wants to read jobs goes to {@code query}.
 */
@NullMarked
package jobs.kafkatomongo.store;

import org.jspecify.annotations.NullMarked;
