/**
 * Defines what a job is for both services, so that they can't disagree. Nothing of HTTP,
 * Kafka or MongoDB may enter.
 */
@NullMarked
package jobs.contract;

import org.jspecify.annotations.NullMarked;
