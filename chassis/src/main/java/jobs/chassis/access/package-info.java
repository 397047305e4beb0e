/**
 * Access: who sent a request, by an API key, a JWT or a client certificate
 * ({@code Credentials}), what they may do ({@code AccessRules}), how much they may send
 * ({@code RateLimit}), and which pages may read answers (CORS), once security is on.
 * Nothing that knows what a document is may enter.
 */
@NullMarked
package jobs.chassis.access;

import org.jspecify.annotations.NullMarked;
