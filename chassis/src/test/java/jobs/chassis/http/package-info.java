/**
 * Tests of HTTP as every service speaks it.
 */
package jobs.chassis.http;
