/**
 * {@code GET /jobs}: jobs that are stored, and where a job is that is not.
 * <p>
 * Nothing that writes may enter.
 */
@NullMarked
package jobs.kafkatomongo.query;

import org.jspecify.annotations.NullMarked;
