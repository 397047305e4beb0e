/**
 * Tests of who is recognised, and an issuer for them.
 */
package jobs.chassis.identity;
