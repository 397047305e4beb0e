/**
 * For operators: how far behind the service is, and the console. Nothing that changes a
 * job or a dead letter may enter.
 */
@NullMarked
package jobs.kafkatomongo.operations;

import org.jspecify.annotations.NullMarked;
