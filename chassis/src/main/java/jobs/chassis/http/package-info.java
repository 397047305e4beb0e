/**
 * HTTP as every service of ours speaks it: bounded, with problems (RFC 9457) for errors,
 * and with the page of the API.
 * <p>
 * Nothing that knows what a job is may enter.
 */
@NullMarked
package jobs.chassis.http;

import org.jspecify.annotations.NullMarked;
