/**
 * Reads documents and uploads within time and memory, checks them, and follows them until
 * Kafka has them. Status codes and headers of HTTP may not enter.
 */
@NullMarked
package jobs.resttokafka.intake;

import org.jspecify.annotations.NullMarked;
