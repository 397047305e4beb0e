/**
 * How this service answers with documents, within bounds, and with problems when it
 * can't.
 * <p>
 * No address and no query may enter.
 */
@NullMarked
package jobs.kafkatomongo.http;

import org.jspecify.annotations.NullMarked;
