package jobs.kafkatomongo.deadletter;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.kafkatomongo.Records;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.kafka.KafkaException;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.SendResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * With a real producer, and nobody who listens to it.
 */
class DeadLetterPublisherTests {

	private final AtomicInteger sends = new AtomicInteger();

	private final DefaultKafkaProducerFactory<byte[], byte[]> producers = new DefaultKafkaProducerFactory<>(
			Map.of("bootstrap.servers", "127.0.0.1:1", "max.block.ms", 100), new ByteArraySerializer(),
			new ByteArraySerializer());

	private final KafkaTemplate<byte[], byte[]> kafka = new KafkaTemplate<>(this.producers) {

		@Override
		public CompletableFuture<SendResult<byte[], byte[]>> send(ProducerRecord<byte[], byte[]> record) {
			DeadLetterPublisherTests.this.sends.incrementAndGet();
			return super.send(record);
		}

	};

	@AfterEach
	void close() {
		this.producers.destroy();
	}

	@Test
	void stopsAtTheFirstThatTheProducerRefuses() {
		// each would block for max.block.ms, one after the other, until the consumer is
		// taken for dead
		List<DeadLetter> many = IntStream.range(0, 50).mapToObj((offset) -> deadLetter(offset)).toList();

		assertThatExceptionOfType(KafkaException.class)
			.isThrownBy(() -> new DeadLetterPublisher(this.kafka, Records.properties("jobs"), new SimpleMeterRegistry())
				.publish(many));

		assertThat(this.sends).hasValue(1);
	}

	private static DeadLetter deadLetter(int offset) {
		return new DeadLetter(new ConsumerRecord<>("jobs", 0, offset, new byte[0], new byte[0]),
				DeadLetter.Reason.NOT_JSON, "nonsense", null);
	}

}
