/** {@code GET /jobs}: stored jobs, and why others are not. Nothing may write here. */
@NullMarked
package jobs.kafkatomongo.query;

import org.jspecify.annotations.NullMarked;
