/**
 * The figures of one resource that the console shows: what waits, what came and was
 * stored in the last minutes, and how many dead letters are open.
 */
@NullMarked
package jobs.kafkatomongo.figures;

import org.jspecify.annotations.NullMarked;
