package jobs.kafkatomongo.consumption;

import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.micrometer.core.instrument.MeterRegistry;
import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.kafka.TopicIds;
import jobs.chassis.kafka.TopicSettings;
import jobs.chassis.operations.Warnings;
import jobs.kafkatomongo.KafkaToMongoProperties;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

import org.springframework.boot.kafka.autoconfigure.DefaultKafkaConsumerFactoryCustomizer;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.config.ContainerCustomizer;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.RetryListener;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;

/** Sets up the topic of the jobs, and how all listeners retry and commit. */
@Configuration(proxyBeanMethods = false)
class ConsumptionConfiguration {

	@Bean("listener")
	ListenerHealth listenerHealth(KafkaListenerEndpointRegistry registry, OffsetGuard offsets, Refusals refusals,
			KafkaToMongoProperties properties, MeterRegistry meters) {
		return new ListenerHealth(registry, offsets, refusals, Clock.systemUTC(), properties.maxBackOff(), meters);
	}

	@Bean
	OffsetGuard offsetGuard(TopicIds topics, MeterRegistry meters, StoredOffsets stored) {
		return new OffsetGuard(topics, new DeletedUnread(meters), stored);
	}

	@Bean
	StoredOffsets storedOffsets(LazyAdmin admin, KafkaProperties properties, Warnings warnings) {
		return new StoredOffsets(admin, properties.getConsumer().getGroupId() + TopicIds.STORED, warnings);
	}

	@Bean
	Refusals refusals() {
		return new Refusals();
	}

	@Bean
	GroupMembers groupMembers(LazyAdmin admin, KafkaProperties properties, Refusals refusals, Warnings warnings) {
		String group = String.valueOf(properties.getConsumer().getGroupId());
		return new GroupMembers(admin, List.of(group, group + "-dead-letters"), refusals, warnings);
	}

	@Bean
	DefaultKafkaConsumerFactoryCustomizer watchedConsumers(KafkaProperties properties, OffsetGuard offsets,
			Refusals refusals) {
		int atOnce = Objects.requireNonNull(properties.getConsumer().getMaxPollRecords());
		return (factory) -> {
			// whatever the environment says: Kafka's own commits would pass over what is
			// not stored yet, and its own resets over what waits or was deleted
			factory.updateConfigs(Map.of(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false,
					ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none"));
			watch(factory, atOnce, offsets, refusals);
		};
	}

	/** Boot customizes a factory of any types, and this service has the one of bytes. */
	@SuppressWarnings("unchecked")
	private static void watch(DefaultKafkaConsumerFactory<?, ?> factory, int atOnce, OffsetGuard offsets,
			Refusals refusals) {
		((DefaultKafkaConsumerFactory<byte[], byte[]>) factory)
			.addPostProcessor((consumer) -> WatchedConsumer.watch(consumer, atOnce, offsets, refusals));
	}

	@Bean
	CommonErrorHandler outageHandler(KafkaToMongoProperties properties, ListenerHealth health) {
		ExponentialBackOff backOff = new ExponentialBackOff(ListenerHealth.FIRST_BACK_OFF.toMillis(), 2);
		backOff.setMaxInterval(properties.maxBackOff().toMillis());
		return new OutageHandler(backOff, health);
	}

	/**
	 * Commits after each batch without waiting for the commit: the wait costs 6 ms, and a
	 * batch that comes again is harmless. The listeners end beside the requests in hand,
	 * since both one after the other take longer than a pod has. Boot applies a
	 * customizer of exactly these types alone, whatever the types of the records.
	 */
	@Bean
	ContainerCustomizer<Object, Object, ConcurrentMessageListenerContainer<Object, Object>> listenerContainers() {
		return (container) -> {
			container.setPhase(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
			container.getContainerProperties().setSyncCommits(false);
			// this service's own metrics measure the same at a lower cost
			container.getContainerProperties().setMicrometerEnabled(false);
			container.setBatchInterceptor(ConsumptionConfiguration::retainAssigned);
			// before each try, and not before the first alone
			container.setInterceptBeforeTx(false);
		};
	}

	/**
	 * The records of partitions that a consumer still has: while a batch waited to be
	 * tried again, some may have gone to another consumer, which reads their records
	 * itself.
	 */
	private static <K, V> ConsumerRecords<K, V> retainAssigned(ConsumerRecords<K, V> records, Consumer<K, V> consumer) {
		Set<TopicPartition> gone = new HashSet<>(records.partitions());
		gone.removeAll(consumer.assignment());
		return gone.isEmpty() ? records : BoundedPoll.without(gone, records);
	}

	@Bean
	TopicSettings jobsTopic(KafkaToMongoProperties properties) {
		return new TopicSettings(properties.topic(), properties.partitions(), properties.replication(), 0,
				TopicSettings.retention(properties.retention()));
	}

	/**
	 * Tries a batch again for ever, whatever the failure, while the consumer stays in its
	 * group. Spring's default gives up after nine retries and commits, and takes some
	 * exceptions for hopeless at once. It also forgets the batch when the consumer fails
	 * between two tries.
	 */
	static class OutageHandler extends DefaultErrorHandler {

		OutageHandler(BackOff backOff, RetryListener listener) {
			super((record, failure) -> {
				throw new IllegalStateException("A batch is never given up", failure);
			}, backOff);
			setClassifications(Map.of(), true);
			setRetryListeners(listener);
		}

		@Override
		public void handleBatch(Exception failure, ConsumerRecords<?, ?> records, Consumer<?, ?> consumer,
				MessageListenerContainer container, Runnable invokeListener) {
			try {
				super.handleBatch(failure, records, consumer, container, invokeListener);
			}
			catch (RuntimeException ex) {
				seekBack(records, consumer);
				throw ex;
			}
		}

		private static void seekBack(ConsumerRecords<?, ?> records, Consumer<?, ?> consumer) {
			for (TopicPartition partition : records.partitions()) {
				if (consumer.assignment().contains(partition)) {
					consumer.seek(partition, records.records(partition).getFirst().offset());
				}
			}
		}

	}

}
