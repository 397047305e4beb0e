/**
 * Which role a request needs, bounded answers, pages of lists and their cursors, and
 * problems. Queries may not enter.
 */
@NullMarked
package jobs.kafkatomongo.http;

import org.jspecify.annotations.NullMarked;
