/**
 * A job on its way through the pair, and the pair among kills, seen from outside.
 */
package jobs.endtoend.flow;
