package jobs.kafkatomongo.consumption;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.kafka.listener.RetryListener;
import org.springframework.util.backoff.FixedBackOff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A batch that failed is tried again, or comes again. With Kafka's own mock of a
 * consumer, since no broker fails at the moment that is asked for.
 */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OutageHandlerTests {

	private static final TopicPartition PARTITION = new TopicPartition("topic", 0);

	private final List<Integer> attempts = new ArrayList<>();

	private final ConsumptionConfiguration.OutageHandler handler = new ConsumptionConfiguration.OutageHandler(
			new FixedBackOff(1, FixedBackOff.UNLIMITED_ATTEMPTS), new RetryListener() {

				@Override
				public void failedDelivery(ConsumerRecord<?, ?> record, @Nullable Exception failure, int attempt) {
					// of record listeners
				}

				@Override
				public void failedDelivery(ConsumerRecords<?, ?> records, @Nullable Exception failure, int attempt) {
					OutageHandlerTests.this.attempts.add(attempt);
				}

			});

	private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");

	private final ConsumerRecords<byte[], byte[]> batch = new ConsumerRecords<>(
			Map.of(PARTITION, List.of(new ConsumerRecord<>("topic", 0, 5, new byte[0], new byte[0]))), Map.of());

	@BeforeEach
	void readTheBatch() {
		this.consumer.assign(List.of(PARTITION));
		this.consumer.updateBeginningOffsets(new HashMap<>(Map.of(PARTITION, 0L)));
		this.consumer.seek(PARTITION, 6);
	}

	@Test
	void triesTheSameBatchUntilItSucceeds() {
		handle(() -> {
			if (this.attempts.size() < 50) {
				throw new ClassCastException("which the default takes for hopeless");
			}
		});

		assertThat(this.attempts).hasSize(50);
		assertThat(this.consumer.position(PARTITION)).isEqualTo(6);
	}

	@Test
	void letsTheBatchComeAgainWhenTheConsumerFailsBetweenTwoTries() {
		this.consumer.setPollException(new TopicAuthorizationException("topic"));

		assertThatExceptionOfType(KafkaException.class).isThrownBy(() -> handle(() -> {
		}));

		assertThat(this.consumer.position(PARTITION)).isEqualTo(5);
	}

	private void handle(Runnable listener) {
		KafkaMessageListenerContainer<byte[], byte[]> container = new RunningContainer();
		// which of the handler's methods the container calls
		assertThat(this.handler.seeksAfterHandling()).isTrue();
		this.handler.handleBatch(new IllegalStateException("MongoDB is away"), this.batch, this.consumer, container,
				listener);
	}

	/**
	 * A container that says it runs, without running.
	 */
	private static final class RunningContainer extends KafkaMessageListenerContainer<byte[], byte[]> {

		RunningContainer() {
			super(new DefaultKafkaConsumerFactory<>(Map.of()), new ContainerProperties("topic"));
		}

		@Override
		public boolean isRunning() {
			return true;
		}

	}

}
