package jobs.kafkatomongo;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.event.EventListener;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.event.ConsumerStoppedEvent;
import org.springframework.kafka.event.ListenerContainerIdleEvent;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.RetryListener;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Knows whether the listener gets on: reports it, says in the log when a batch has to
 * wait and when it goes on, and starts a listener again that has died.
 */
class ListenerHealth implements HealthIndicator, RetryListener {

	private static final Logger logger = LoggerFactory.getLogger(ListenerHealth.class);

	/** Before a batch is tried the second time; each next pause is twice as long. */
	static final Duration FIRST_BACK_OFF = Duration.ofMillis(500);

	/** Characters of a failure in the log. */
	private static final int MAX_CAUSE = 500;

	private final KafkaListenerEndpointRegistry registry;

	private final Clock clock;

	private final Duration maxBackOff;

	private final JobMetrics metrics;

	/** By consumer, each of which has a thread. */
	private final Map<Thread, Instant> waitingSince = new ConcurrentHashMap<>();

	ListenerHealth(KafkaListenerEndpointRegistry registry, Clock clock, Duration maxBackOff, JobMetrics metrics) {
		this.registry = registry;
		this.clock = clock;
		this.maxBackOff = maxBackOff;
		this.metrics = metrics;
		metrics.listeners(this::areRunning);
	}

	private boolean areRunning() {
		Collection<MessageListenerContainer> containers = this.registry.getListenerContainers();
		return !containers.isEmpty()
				&& containers.stream().allMatch((one) -> one.isRunning() && one.isInExpectedState());
	}

	@Override
	public Health health() {
		if (!areRunning()) {
			return Health.down().withDetail("listener", "not running").build();
		}
		return this.waitingSince.values()
			.stream()
			.min(Comparator.naturalOrder())
			.map((since) -> Health.down().withDetail("waitingSince", since).build())
			.orElseGet(() -> Health.up().build());
	}

	@Override
	public void failedDelivery(ConsumerRecord<?, ?> record, @Nullable Exception failure, int attempt) {
		// of record listeners; ours takes batches
	}

	@Override
	public void failedDelivery(ConsumerRecords<?, ?> records, @Nullable Exception failure, int attempt) {
		String cause = String.valueOf((failure != null) ? NestedExceptionUtils.getMostSpecificCause(failure) : null);
		cause = cause.substring(0, Math.min(cause.length(), MAX_CAUSE)).replaceAll("\\p{Cntrl}", " ");
		this.waitingSince.putIfAbsent(Thread.currentThread(), this.clock.instant());
		long pause = FIRST_BACK_OFF.toMillis() << Math.min(attempt - 1, 20);
		this.metrics.waits(Math.min(pause, this.maxBackOff.toMillis()));
		BatchTraces.name(logger.atWarn(), records)
			.addKeyValue("records", records.count())
			.addKeyValue("attempt", attempt)
			.addKeyValue("cause", cause)
			.log("A batch can't be stored now and will be tried again");
	}

	/**
	 * Notes that a batch is safe.
	 */
	void stored() {
		Instant since = this.waitingSince.remove(Thread.currentThread());
		this.metrics.settled();
		if (since != null) {
			logger.atInfo().addKeyValue("waitedSince", since).log("Storing again");
		}
	}

	/**
	 * When nothing has come for a while, repeats the last commit, which nobody does when
	 * it was lost, and forgets a batch that waited here and has gone to another consumer.
	 */
	@EventListener
	void settle(ListenerContainerIdleEvent idle) {
		idle.getConsumer().commitAsync();
		stored();
	}

	/**
	 * Forgets what a consumer waited for that has ended.
	 */
	@EventListener
	void forget(ConsumerStoppedEvent stopped) {
		this.metrics.settled();
		this.waitingSince.remove(Thread.currentThread());
	}

	@Scheduled(fixedDelay = 5, timeUnit = TimeUnit.SECONDS)
	void restartWhenDead() {
		for (MessageListenerContainer container : this.registry.getListenerContainers()) {
			if (!container.isInExpectedState()) {
				logger.atError()
					.addKeyValue("listener", container.getListenerId())
					.log("The listener has died and is started again");
				container.stop();
				container.start();
			}
		}
	}

}
