/**
 * Tests of what is consumed from Kafka and saved to MongoDB.
 */
package jobs.kafkatomongo.events;
