/**
 * Who may do what over HTTP, once security is switched on. Nothing that knows what a job
 * is may enter.
 */
@NullMarked
package jobs.chassis.security;

import org.jspecify.annotations.NullMarked;
