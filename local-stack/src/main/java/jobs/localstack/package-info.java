/**
 * Kafka and MongoDB without Docker, the launcher behind {@code ./run}, and the seam
 * through which tests get their backends.
 */
@NullMarked
package jobs.localstack;

import org.jspecify.annotations.NullMarked;
