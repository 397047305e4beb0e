/**
 * What the listeners do while a backend is away: they wait, say so, and go on.
 * <p>
 * Nothing that knows what a listener does with its records may enter.
 */
@NullMarked
package jobs.kafkatomongo.outage;

import org.jspecify.annotations.NullMarked;
