/**
 * {@code GET /contracts}: which rules a service applies, so that people and clients can
 * read them, and an alert can tell that two instances differ.
 */
@NullMarked
package jobs.chassis.contracts;

import org.jspecify.annotations.NullMarked;
