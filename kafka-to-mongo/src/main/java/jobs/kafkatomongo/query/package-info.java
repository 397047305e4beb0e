/**
 * {@code GET /jobs}: its parameters ({@code JobsController}), the queries
 * ({@code StoredJobs}), and why a document is not stored ({@code MissingJobs}). Nothing
 * may write here.
 */
@NullMarked
package jobs.kafkatomongo.query;

import org.jspecify.annotations.NullMarked;
