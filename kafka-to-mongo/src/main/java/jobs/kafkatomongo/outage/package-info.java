/**
 * What the listeners do while a backend is away: wait, report it, and go on. Nothing that
 * knows what a listener does with its records may enter.
 */
@NullMarked
package jobs.kafkatomongo.outage;

import org.jspecify.annotations.NullMarked;
