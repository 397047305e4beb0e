/**
 * What the listeners do while a backend is away, refuses them or has lost records: wait
 * ({@code OutageHandler}, {@code WatchedConsumer}), report it ({@code ListenerHealth}),
 * and go on at the right offset ({@code OffsetGuard}). Nothing that knows what a listener
 * does with its records may enter.
 */
@NullMarked
package jobs.kafkatomongo.consumption;

import org.jspecify.annotations.NullMarked;
