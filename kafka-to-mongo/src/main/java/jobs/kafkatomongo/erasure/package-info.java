/** Erases documents with all that is known of them, as somebody may ask for. */
@NullMarked
package jobs.kafkatomongo.erasure;

import org.jspecify.annotations.NullMarked;
