/**
 * {@code GET /jobs}: its parameters ({@code DocumentsController}), the queries
 * ({@code StoredDocuments}), and why a document is not stored ({@code MissingDocuments}).
 * Nothing may write here.
 */
@NullMarked
package jobs.kafkatomongo.query;

import org.jspecify.annotations.NullMarked;
