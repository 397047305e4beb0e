/**
 * Bounded answers, pages of lists, and problems. Queries may not enter.
 */
@NullMarked
package jobs.kafkatomongo.http;

import org.jspecify.annotations.NullMarked;
