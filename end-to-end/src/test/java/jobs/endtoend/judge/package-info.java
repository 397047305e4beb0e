/**
 * Decides what became of every job and every dead letter.
 */
package jobs.endtoend.judge;
