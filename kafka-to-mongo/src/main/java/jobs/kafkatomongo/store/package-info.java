/**
 * Stores each document of a batch once, then lets the batch be committed. No other
 * package may use this one; {@code query} reads documents.
 */
@NullMarked
package jobs.kafkatomongo.store;

import org.jspecify.annotations.NullMarked;
