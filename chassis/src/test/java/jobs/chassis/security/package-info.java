/**
 * Tests of who may do what over HTTP.
 */
package jobs.chassis.security;
