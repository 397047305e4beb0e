/**
 * TLS whose certificates are renewed while a service runs: Spring's bundles, for all that
 * connects.
 */
@NullMarked
package jobs.chassis.tls;

import org.jspecify.annotations.NullMarked;
