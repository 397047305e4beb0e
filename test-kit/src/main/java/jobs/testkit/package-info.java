/**
 * What the tests of several modules need: Kafka and MongoDB of a test run, and jobs made
 * by chance.
 * <p>
 * Nothing that is shipped may depend on it.
 */
@NullMarked
package jobs.testkit;

import org.jspecify.annotations.NullMarked;
