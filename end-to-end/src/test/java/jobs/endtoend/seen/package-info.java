/**
 * What people see of a fault: what each kind declares, what was there to be seen, and who
 * compares the two.
 */
package jobs.endtoend.seen;
