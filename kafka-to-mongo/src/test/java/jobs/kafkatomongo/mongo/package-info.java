/**
 * Tests of what is asked of MongoDB itself.
 */
package jobs.kafkatomongo.mongo;
