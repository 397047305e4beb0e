/** Tells clients what is stored, as it happens, by server-sent events. */
@NullMarked
package jobs.kafkatomongo.events;

import org.jspecify.annotations.NullMarked;
