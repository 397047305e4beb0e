/**
 * For people who watch: the page at {@code /} ({@code resources/console}), its live
 * figures ({@code ConsoleController}), and the last minutes of them ({@code History}).
 * Nothing that changes a job or a dead letter may enter.
 */
@NullMarked
package jobs.kafkatomongo.console;

import org.jspecify.annotations.NullMarked;
