package jobs.kafkatomongo.outage;

import java.time.Clock;

import io.micrometer.core.instrument.MeterRegistry;
import jobs.kafkatomongo.limits.KafkaToMongoProperties;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.config.ContainerCustomizer;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.util.backoff.ExponentialBackOff;

/** Sets how all listeners retry and commit. */
@Configuration(proxyBeanMethods = false)
class OutageConfiguration {

	@Bean("listener")
	ListenerHealth listenerHealth(KafkaListenerEndpointRegistry registry, KafkaToMongoProperties properties,
			MeterRegistry meters) {
		return new ListenerHealth(registry, Clock.systemUTC(), properties.maxBackOff(), meters);
	}

	@Bean
	CommonErrorHandler outageHandler(KafkaToMongoProperties properties, ListenerHealth health) {
		ExponentialBackOff backOff = new ExponentialBackOff(ListenerHealth.FIRST_BACK_OFF.toMillis(), 2);
		backOff.setMaxInterval(properties.maxBackOff().toMillis());
		return new OutageHandler(backOff, health);
	}

	/**
	 * Commits after each batch without waiting for the commit: the wait costs 6 ms, and a
	 * batch that comes again is harmless.
	 */
	@Bean
	ContainerCustomizer<byte[], byte[], ConcurrentMessageListenerContainer<byte[], byte[]>> commitsAreNotAwaited() {
		return (container) -> {
			container.getContainerProperties().setSyncCommits(false);
			// this service's own metrics measure the same at a lower cost
			container.getContainerProperties().setMicrometerEnabled(false);
		};
	}

}
