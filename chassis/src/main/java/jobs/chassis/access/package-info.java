/**
 * Access: who sent a request (API keys, JWTs, client certificates), what they may do
 * ({@code AccessRules}), how much ({@code RateLimit}), and which pages may read answers
 * (CORS), once security is switched on. Nothing that knows what a job is may enter.
 */
@NullMarked
package jobs.chassis.access;

import org.jspecify.annotations.NullMarked;
