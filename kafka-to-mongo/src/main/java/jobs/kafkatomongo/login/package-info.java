/**
 * The login of people at the console, by an issuer. Machines bring a key or token
 * instead.
 */
@NullMarked
package jobs.kafkatomongo.login;

import org.jspecify.annotations.NullMarked;
