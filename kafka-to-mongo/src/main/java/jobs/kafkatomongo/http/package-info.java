/** Bounded answers, pages of lists, and problems. Addresses and queries may not enter. */
@NullMarked
package jobs.kafkatomongo.http;

import org.jspecify.annotations.NullMarked;
