/**
 * Who sent a request: API keys of a file, and JWTs of an issuer. What they may do is
 * decided elsewhere.
 */
@NullMarked
package jobs.chassis.identity;

import org.jspecify.annotations.NullMarked;
