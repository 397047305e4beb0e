/**
 * HTTP for every service: bounds, problems (RFC 9457), and the page of the API. Nothing
 * that knows what a document is may enter.
 */
@NullMarked
package jobs.chassis.http;

import org.jspecify.annotations.NullMarked;
