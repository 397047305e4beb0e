/**
 * How the topics are consumed: batches within bounds ({@code BoundedPoll}), the right
 * offset after a loss ({@code OffsetGuard}), and retries while a backend is away or
 * refuses the consumer ({@code ConsumptionConfiguration}, {@code WatchedConsumer}), which
 * {@code ListenerHealth} reports. Nothing that knows what a listener does with its
 * records may enter.
 */
@NullMarked
package jobs.kafkatomongo.consumption;

import org.jspecify.annotations.NullMarked;
