/**
 * The pair as shipped, as processes of this machine, a client of it, and what is found in
 * Kafka and MongoDB afterwards.
 */
package jobs.endtoend.pair;
