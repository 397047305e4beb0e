/**
 * Faults, and the cluster that they strike.
 */
package jobs.endtoend.chaos;
