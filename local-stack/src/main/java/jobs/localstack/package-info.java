/**
 * Kafka and MongoDB without Docker, and the launcher behind {@code ./run}.
 */
@NullMarked
package jobs.localstack;

import org.jspecify.annotations.NullMarked;
