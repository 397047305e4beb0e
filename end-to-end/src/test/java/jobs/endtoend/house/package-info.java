/**
 * The borders and the measures of the house: what a package may know, how large files and
 * packages may be, and what its workflows may do.
 */
package jobs.endtoend.house;
