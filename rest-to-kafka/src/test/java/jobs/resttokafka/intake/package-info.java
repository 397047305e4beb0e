/**
 * Tests of what is accepted over HTTP and published to Kafka.
 */
package jobs.resttokafka.intake;
