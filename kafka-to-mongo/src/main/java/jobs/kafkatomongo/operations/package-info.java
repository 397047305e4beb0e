/**
 * For operators: how far behind the service is ({@code Backlog}), and the console
 * ({@code ConsoleController} sends its figures, {@code resources/console} has its page).
 * Nothing that changes a job or a dead letter may enter.
 */
@NullMarked
package jobs.kafkatomongo.operations;

import org.jspecify.annotations.NullMarked;
