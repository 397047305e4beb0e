/**
 * The borders and the measures of the house: what a package may know, and how large files
 * and packages may be.
 */
package jobs.endtoend.house;
