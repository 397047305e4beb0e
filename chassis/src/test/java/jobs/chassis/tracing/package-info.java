/**
 * Tests of traces.
 */
package jobs.chassis.tracing;
