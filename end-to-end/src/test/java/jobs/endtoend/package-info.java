/**
 * Tests of the pair as it is shipped: two jars as processes, a real Kafka, and a MongoDB.
 */
package jobs.endtoend;
