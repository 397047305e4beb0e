/**
 * The application, above all packages. Their floors, from top to bottom: {@code http},
 * {@code intake}, {@code publish}, {@code limits}. A package may use the floors below it.
 */
@NullMarked
package jobs.resttokafka;

import org.jspecify.annotations.NullMarked;
