/**
 * The page for operators with its live figures, and the login of people by an issuer
 * ({@code LoginConfiguration}). Machines bring a key or token instead.
 */
@NullMarked
package jobs.kafkatomongo.console;

import org.jspecify.annotations.NullMarked;
