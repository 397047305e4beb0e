/**
 * What we know of MongoDB itself: its error codes, indexes, cursors through a list, and
 * whether it is there.
 * <p>
 * Nothing that knows what a job or a dead letter is may enter.
 */
@NullMarked
package jobs.kafkatomongo.mongo;

import org.jspecify.annotations.NullMarked;
