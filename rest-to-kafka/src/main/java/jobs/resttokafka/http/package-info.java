/**
 * {@code POST /jobs}: headers in, status codes and answers out. Decisions about a
 * document's bytes may not enter; they are made in {@code intake} and {@code publish}.
 */
@NullMarked
package jobs.resttokafka.http;

import org.jspecify.annotations.NullMarked;
