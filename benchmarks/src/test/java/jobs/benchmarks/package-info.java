/**
 * Tests of what the benchmark's figures rest on.
 */
package jobs.benchmarks;
