package jobs.kafkatomongo;

import java.time.Clock;
import java.time.Instant;
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

	private final KafkaListenerEndpointRegistry registry;

	private final Clock clock;

	private volatile @Nullable Wait wait;

	ListenerHealth(KafkaListenerEndpointRegistry registry, Clock clock) {
		this.registry = registry;
		this.clock = clock;
	}

	@Override
	public Health health() {
		MessageListenerContainer container = this.registry.getListenerContainer(JobListener.ID);
		if (container == null || !container.isRunning() || !container.isInExpectedState()) {
			return Health.down().withDetail("listener", "not running").build();
		}
		Wait waiting = this.wait;
		if (waiting != null) {
			return Health.down().withDetail("waitingSince", waiting.since()).build();
		}
		return Health.up().build();
	}

	@Override
	public void failedDelivery(ConsumerRecord<?, ?> record, @Nullable Exception failure, int attempt) {
		// of record listeners; ours takes batches
	}

	@Override
	public void failedDelivery(ConsumerRecords<?, ?> records, @Nullable Exception failure, int attempt) {
		String cause = String.valueOf((failure != null) ? NestedExceptionUtils.getMostSpecificCause(failure) : null);
		Wait waiting = this.wait;
		this.wait = new Wait((waiting != null) ? waiting.since() : this.clock.instant());
		logger.atWarn()
			.addKeyValue("records", records.count())
			.addKeyValue("attempt", attempt)
			.addKeyValue("cause", cause)
			.log("A batch can't be stored now and will be tried again");
	}

	/**
	 * Notes that a batch is safe.
	 */
	void stored() {
		Wait waiting = this.wait;
		if (waiting != null) {
			this.wait = null;
			logger.atInfo().addKeyValue("waitedSince", waiting.since()).log("Storing again");
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

	@Scheduled(fixedDelay = 5, timeUnit = TimeUnit.SECONDS)
	void restartWhenDead() {
		MessageListenerContainer container = this.registry.getListenerContainer(JobListener.ID);
		if (container != null && !container.isInExpectedState()) {
			logger.error("The listener has died and is started again");
			container.stop();
			container.start();
		}
	}

	/**
	 * An outage that a batch waits out.
	 */
	private record Wait(Instant since) {

	}

}
