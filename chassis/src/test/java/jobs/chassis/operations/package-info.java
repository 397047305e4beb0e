/**
 * Tests of topics and their health.
 */
package jobs.chassis.operations;
