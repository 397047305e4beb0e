/**
 * The application, above all packages. Their floors, from top to bottom: {@code store},
 * {@code replay}, {@code query}; {@code operations}; {@code deadletter}; {@code outage},
 * {@code http}, {@code document}, {@code mongo}; {@code limits}. A package may use the
 * floors below it and, without a circle, its own.
 */
@NullMarked
package jobs.kafkatomongo;

import org.jspecify.annotations.NullMarked;
