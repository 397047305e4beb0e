/**
 * Stores each job of a batch once, then lets the batch be committed. No other package may
 * use this one; {@code query} reads jobs.
 */
@NullMarked
package jobs.kafkatomongo.store;

import org.jspecify.annotations.NullMarked;
