/**
 * What people do to a pair that has been in use for long.
 */
package jobs.endtoend.upkeep;
