/**
 * {@code POST /jobs}: headers in, status codes and answers out, and what follows an
 * answer.
 * <p>
 * What becomes of a job's bytes is decided below, in {@code intake} and {@code publish}.
 */
@NullMarked
package jobs.resttokafka.http;

import org.jspecify.annotations.NullMarked;
