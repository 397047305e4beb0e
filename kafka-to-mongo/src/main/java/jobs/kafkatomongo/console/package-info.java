/**
 * The page for operators: its live figures, the last 15 minutes ({@code Sampler}), and
 * the login of people by an issuer ({@code LoginConfiguration}). Machines bring a key or
 * token instead.
 */
@NullMarked
package jobs.kafkatomongo.console;

import org.jspecify.annotations.NullMarked;
