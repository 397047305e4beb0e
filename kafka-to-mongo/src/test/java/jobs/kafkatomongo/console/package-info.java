/**
 * Tests of what the console shows.
 */
package jobs.kafkatomongo.console;
