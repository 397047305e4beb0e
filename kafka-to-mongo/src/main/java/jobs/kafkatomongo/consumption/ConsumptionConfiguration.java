package jobs.kafkatomongo.consumption;

import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.micrometer.core.instrument.MeterRegistry;
import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.kafka.TopicIds;
import jobs.chassis.operations.Warnings;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.kafkatomongo.KafkaToMongoProperties;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.kafka.autoconfigure.ConcurrentKafkaListenerContainerFactoryConfigurer;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.RetryListener;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;

/** Sets up how the listeners of a resource read, retry and commit. */
@Configuration(proxyBeanMethods = false)
class ConsumptionConfiguration {

	/** Bytes of a batch that each of many resources has. */
	private static final int LEAST_BATCH_BYTES = 256 * 1024;

	@Bean
	ListenerHealth listenerHealth(Resource resource, Resources resources, KafkaListenerEndpointRegistry registry,
			OffsetGuard offsets, Refusals refusals, KafkaToMongoProperties properties, MeterRegistry meters) {
		return new ListenerHealth(resource.named("listener"), registry, offsets, refusals, Clock.systemUTC(),
				properties.maxBackOff(), meters, resources.labels(resource));
	}

	@Bean
	OffsetGuard offsetGuard(TopicIds topics, MeterRegistry meters, StoredOffsets stored) {
		return new OffsetGuard(topics, new DeletedUnread(meters), stored);
	}

	@Bean
	StoredOffsets storedOffsets(LazyAdmin admin, Resource resource, Warnings warnings) {
		return new StoredOffsets(admin, resource.group() + TopicIds.STORED,
				warnings.about(resource.named("stored-offsets")));
	}

	@Bean
	Refusals refusals() {
		return new Refusals();
	}

	@Bean
	GroupMembers groupMembers(LazyAdmin admin, Resource resource, Refusals refusals, Warnings warnings) {
		return new GroupMembers(admin, List.of(resource.group(), resource.deadLetterGroup()), refusals, warnings);
	}

	/** Makes the consumers as Boot's factory would, and watches them. */
	@Bean
	DefaultKafkaConsumerFactory<byte[], byte[]> consumers(
			@Qualifier("kafkaConsumerFactory") ConsumerFactory<byte[], byte[]> configured, KafkaProperties properties,
			Resource resource, Resources resources, OffsetGuard offsets, Refusals refusals) {
		Map<String, Object> configuration = new HashMap<>(configured.getConfigurationProperties());
		configuration.put(ConsumerConfig.GROUP_ID_CONFIG, resource.group());
		// whatever the environment says: Kafka's own commits would pass over what is
		// not stored yet, and its own resets over what waits or was deleted
		configuration.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
		configuration.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
		int batchBytes = Math.max(BoundedPoll.BATCH_BYTES / resources.all().size(), LEAST_BATCH_BYTES);
		configuration.merge(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, batchBytes, ConsumptionConfiguration::least);
		int atOnce = Objects.requireNonNull(properties.getConsumer().getMaxPollRecords());
		DefaultKafkaConsumerFactory<byte[], byte[]> consumers = new DefaultKafkaConsumerFactory<>(configuration);
		consumers
			.addPostProcessor((consumer) -> WatchedConsumer.watch(consumer, atOnce, batchBytes, offsets, refusals));
		return consumers;
	}

	private static Object least(Object configured, Object share) {
		return Math.min(Integer.parseInt(configured.toString()), (int) share);
	}

	/** Has the settings of Boot's, and starts nothing by itself. */
	@Bean
	ConcurrentKafkaListenerContainerFactory<Object, Object> kafkaListenerContainerFactory(
			ConcurrentKafkaListenerContainerFactoryConfigurer configurer,
			DefaultKafkaConsumerFactory<byte[], byte[]> consumers, CommonErrorHandler outageHandler) {
		ConcurrentKafkaListenerContainerFactory<Object, Object> factory = new ConcurrentKafkaListenerContainerFactory<>();
		configurer.configure(factory, ofAnyTypes(consumers));
		factory.setCommonErrorHandler(outageHandler);
		factory.setContainerCustomizer(ConsumptionConfiguration::customize);
		factory.setAutoStartup(false);
		return factory;
	}

	/** Boot configures a factory of any types, and this service has the one of bytes. */
	@SuppressWarnings("unchecked")
	private static ConsumerFactory<Object, Object> ofAnyTypes(ConsumerFactory<?, ?> consumers) {
		return (ConsumerFactory<Object, Object>) consumers;
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
	 * since both one after the other take longer than a pod has.
	 */
	private static void customize(ConcurrentMessageListenerContainer<Object, Object> container) {
		container.setPhase(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
		container.getContainerProperties().setSyncCommits(false);
		// this service's own metrics measure the same at a lower cost
		container.getContainerProperties().setMicrometerEnabled(false);
		container.setBatchInterceptor(ConsumptionConfiguration::retainAssigned);
		// before each try, and not before the first alone
		container.setInterceptBeforeTx(false);
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
