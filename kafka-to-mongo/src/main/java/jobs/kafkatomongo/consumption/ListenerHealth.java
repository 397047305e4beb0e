package jobs.kafkatomongo.consumption;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.chassis.operations.Part;
import jobs.kafkatomongo.document.RecordTraces;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

import org.springframework.boot.health.contributor.Health;
import org.springframework.context.event.EventListener;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.event.ConsumerStoppedEvent;
import org.springframework.kafka.event.ListenerContainerIdleEvent;
import org.springframework.kafka.event.ListenerContainerPartitionIdleEvent;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.RetryListener;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Reports whether the listeners make progress, and logs when one has to wait and when it
 * goes on. It restarts a listener that has died.
 */
public class ListenerHealth implements Part, RetryListener {

	/** Characters of a failure in a log line. */
	private static final int CAUSE_CHARACTERS = 500;

	private static final Logger logger = LoggerFactory.getLogger(ListenerHealth.class);

	/** The pause before a batch's second try; each further pause is twice as long. */
	static final Duration FIRST_BACK_OFF = Duration.ofMillis(500);

	private final String part;

	private final KafkaListenerEndpointRegistry registry;

	private final OffsetGuard offsets;

	private final Refusals refusals;

	private final Clock clock;

	private final Duration maxBackOff;

	private final Counter retries;

	/** The resource for the log, as name and value, or none. */
	private final String[] labels;

	/** The waiting batches, by the thread of their consumer. */
	private final Map<Thread, Wait> waits = new ConcurrentHashMap<>();

	ListenerHealth(String part, KafkaListenerEndpointRegistry registry, OffsetGuard offsets, Refusals refusals,
			Clock clock, Duration maxBackOff, MeterRegistry meters, String... labels) {
		this.part = part;
		this.labels = labels;
		this.registry = registry;
		this.offsets = offsets;
		this.refusals = refusals;
		this.clock = clock;
		this.maxBackOff = maxBackOff;
		this.retries = Counter.builder("jobs.batch.retries")
			.description("Batches that could not be stored and are tried again")
			.register(meters);
		Gauge
			.builder("jobs.back.off",
					() -> this.waits.values().stream().mapToLong(Wait::pause).max().orElse(0) / 1000.0)
			.baseUnit("seconds")
			.description("The pause before a batch is tried again, 0 when none waits")
			.register(meters);
		Gauge.builder("jobs.listener.running", () -> (areRunning() && this.refusals.first().isEmpty()) ? 1 : 0)
			.description("1 while all listeners run, 0 while one does not or is refused by Kafka")
			.register(meters);
	}

	private boolean areRunning() {
		Collection<MessageListenerContainer> containers = this.registry.getListenerContainers();
		return !containers.isEmpty() && containers.stream().allMatch((one) -> one.isRunning() && !hasDied(one));
	}

	/** A container whose start failed says that it runs, without a consumer. */
	private static boolean hasDied(MessageListenerContainer container) {
		return !container.isInExpectedState() || (container.isRunning() && !container.isChildRunning());
	}

	@Override
	public String part() {
		return this.part;
	}

	@Override
	public Health health() {
		if (!areRunning()) {
			return Health.down().withDetail("reason", "A listener does not run").build();
		}
		Comparator<Map.Entry<String, Instant>> byTime = Map.Entry.comparingByValue();
		return this.refusals.first()
			.map((refusal) -> Map.entry(refusal.reason(), refusal.since()))
			.or(() -> this.waits.values()
				.stream()
				.map((wait) -> Map.entry("A batch can't be stored now: " + wait.cause(), wait.since()))
				.min(byTime))
			.map((why) -> Health.down().withDetail("reason", why.getKey()).withDetail("since", why.getValue()).build())
			.orElseGet(() -> Health.up().build());
	}

	@Override
	public void failedDelivery(ConsumerRecord<?, ?> record, @Nullable Exception failure, int attempt) {
		// only record listeners call this, and the listeners here take batches
	}

	@Override
	public void failedDelivery(ConsumerRecords<?, ?> records, @Nullable Exception failure, int attempt) {
		String cause = cause(failure);
		long pause = Math.min(FIRST_BACK_OFF.toMillis() << Math.min(attempt - 1, 20), this.maxBackOff.toMillis());
		this.retries.increment();
		this.waits.merge(Thread.currentThread(), new Wait(this.clock.instant(), pause, cause),
				(before, now) -> new Wait(before.since(), now.pause(), now.cause()));
		labelled(RecordTraces.name(logger.atWarn(), records)).addKeyValue("records", records.count())
			.addKeyValue("attempt", attempt)
			.addKeyValue("cause", cause)
			.log("A batch can't be stored now and will be tried again");
	}

	private static String cause(@Nullable Exception failure) {
		String cause = String.valueOf((failure != null) ? NestedExceptionUtils.getMostSpecificCause(failure) : null);
		return cause.substring(0, Math.min(cause.length(), CAUSE_CHARACTERS)).replaceAll("\\p{Cntrl}", " ");
	}

	/** Notes that the batch of this thread's consumer is safe. */
	public void stored() {
		Wait ended = this.waits.remove(Thread.currentThread());
		if (ended != null) {
			labelled(logger.atInfo()).addKeyValue("waitedSince", ended.since()).log("Storing again");
		}
	}

	private LoggingEventBuilder labelled(LoggingEventBuilder line) {
		return (this.labels.length > 0) ? line.addKeyValue(this.labels[0], this.labels[1]) : line;
	}

	/** Repeats the last commit of a quiet partition: nobody else repeats a lost one. */
	@EventListener
	void commitAgain(ListenerContainerPartitionIdleEvent quiet) {
		if (this.refusals.first().isEmpty()) {
			this.offsets.commitAgain(quiet.getConsumer(), quiet.getTopicPartition());
		}
	}

	/** Forgets a batch that waited here and has gone to another consumer. */
	@EventListener
	void settle(ListenerContainerIdleEvent idle) {
		stored();
	}

	/** Forgets what the consumer of this thread waited for, since it has ended. */
	@EventListener
	void forget(ConsumerStoppedEvent stopped) {
		this.waits.remove(Thread.currentThread());
		this.refusals.forget(Thread.currentThread());
	}

	@Scheduled(fixedDelay = 5, timeUnit = TimeUnit.SECONDS)
	void restartWhenDead() {
		for (MessageListenerContainer container : this.registry.getListenerContainers()) {
			if (!hasDied(container)) {
				continue;
			}
			logger.atError()
				.addKeyValue("listener", container.getListenerId())
				.log("The listener has died and is started again");
			try {
				container.stop();
				container.start();
			}
			catch (RuntimeException | LinkageError ex) {
				// the next round tries again, and this one goes on to other listeners
				logger.atError()
					.addKeyValue("listener", container.getListenerId())
					.addKeyValue("cause", ex)
					.log("The listener can't be started now");
			}
		}
	}

	/** A batch that waits since its first failure; the pause is in milliseconds. */
	private record Wait(Instant since, long pause, String cause) {

	}

}
