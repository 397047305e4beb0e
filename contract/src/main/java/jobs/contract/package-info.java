/**
 * What a job is: the one reader of posted bytes, the rules of {@code job.schema.json} and
 * those that a JSON Schema can't say.
 * <p>
 * Both services read jobs here, so that they can't disagree. Nothing of HTTP, Kafka or
 * MongoDB may enter.
 */
@NullMarked
package jobs.contract;

import org.jspecify.annotations.NullMarked;
