/**
 * What the services may do at a Kafka and a MongoDB that forbid by default.
 */
package jobs.endtoend.rights;
