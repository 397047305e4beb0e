package jobs.kafkatomongo.deadletter;

import java.util.List;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.UnreachableKafka;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.kafka.KafkaException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * With nobody who listens to the producer.
 */
class DeadLetterPublisherTests {

	private final UnreachableKafka kafka = new UnreachableKafka();

	@AfterEach
	void close() {
		this.kafka.destroy();
	}

	@Test
	void stopsAtTheFirstThatTheProducerRefuses() {
		// each would block for max.block.ms, one after the other, until the consumer is
		// taken for dead
		List<DeadLetter> many = IntStream.range(0, 50).mapToObj((offset) -> deadLetter(offset)).toList();

		assertThatExceptionOfType(KafkaException.class)
			.isThrownBy(() -> new DeadLetterPublisher(this.kafka, Records.properties("jobs"), new SimpleMeterRegistry())
				.publish(many));

		assertThat(this.kafka.sends()).isEqualTo(1);
	}

	private static DeadLetter deadLetter(int offset) {
		return new DeadLetter(new ConsumerRecord<>("jobs", 0, offset, new byte[0], new byte[0]),
				DeadLetter.Reason.NOT_JSON, "nonsense", null);
	}

}
