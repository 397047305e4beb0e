/**
 * What hostile clients and large inputs may cost.
 */
package jobs.endtoend.bounds;
