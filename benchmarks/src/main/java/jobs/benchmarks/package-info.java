/**
 * What {@code ./benchmark} measures: the two services as shipped, beside small honest
 * programs that do as little as the work allows, and MongoDB's Kafka connector.
 */
@NullMarked
package jobs.benchmarks;

import org.jspecify.annotations.NullMarked;
