package jobs.kafkatomongo.consumption;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.operations.Warnings;
import jobs.testkit.Backends;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Status;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.MessageListenerContainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * A listener that could not be started is started again.
 */
class ListenerHealthTests {

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final DefaultKafkaConsumerFactory<byte[], byte[]> consumers = new DefaultKafkaConsumerFactory<>(Map.of(
			"bootstrap.servers", "no-such-name.invalid:1", "group.id", UUID.randomUUID().toString(), "key.deserializer",
			ByteArrayDeserializer.class, "value.deserializer", ByteArrayDeserializer.class));

	private final ConcurrentMessageListenerContainer<byte[], byte[]> container = new ConcurrentMessageListenerContainer<>(
			this.consumers, properties());

	private final List<MessageListenerContainer> containers = new ArrayList<>(List.of(this.container));

	private final KafkaListenerEndpointRegistry registry = new KafkaListenerEndpointRegistry() {

		@Override
		public Collection<MessageListenerContainer> getListenerContainers() {
			return ListenerHealthTests.this.containers;
		}

	};

	private final ListenerHealth health = new ListenerHealth("listener", this.registry,
			new OffsetGuard((topic) -> null, new DeletedUnread(this.meters),
					new StoredOffsets(new LazyAdmin(Map.of()), "stored",
							new Warnings(new SimpleMeterRegistry()).about("stored-offsets"))),
			new Refusals(), Clock.systemUTC(), Duration.ofSeconds(10), this.meters);

	@AfterEach
	void stop() {
		this.containers.forEach(MessageListenerContainer::stop);
	}

	/**
	 * As where Kafka's name can't be resolved at that moment. The container then says
	 * that it runs.
	 */
	@Test
	void startsAListenerAgainWhoseStartFailed() {
		assertThatException().isThrownBy(this.container::start);
		assertThat(this.container.isRunning()).isTrue();

		this.health.restartWhenDead();

		assertThat(this.health.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(this.meters.get("jobs.listener.running").gauge().value()).isZero();

		this.consumers.updateConfigs(Map.of("bootstrap.servers", Backends.get().kafka()));
		this.health.restartWhenDead();

		Awaitility.await()
			.atMost(30, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(this.health.health().getStatus()).isEqualTo(Status.UP));
	}

	@Test
	void isDownWhileOneOfTwoListenersDoesNotRun() {
		this.consumers.updateConfigs(Map.of("bootstrap.servers", Backends.get().kafka()));
		this.containers.add(new ConcurrentMessageListenerContainer<>(this.consumers, properties()));
		this.container.start();

		assertThat(this.health.health().getStatus()).isEqualTo(Status.DOWN);

		this.containers.getLast().start();

		Awaitility.await()
			.atMost(30, TimeUnit.SECONDS)
			.untilAsserted(() -> assertThat(this.health.health().getStatus()).isEqualTo(Status.UP));
	}

	private static ContainerProperties properties() {
		ContainerProperties properties = new ContainerProperties("topic");
		properties.setMessageListener((MessageListener<byte[], byte[]>) (record) -> {
		});
		return properties;
	}

}
