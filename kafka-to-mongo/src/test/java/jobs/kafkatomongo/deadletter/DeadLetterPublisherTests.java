package jobs.kafkatomongo.deadletter;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.UnreachableKafka;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
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
			.isThrownBy(() -> new DeadLetterPublisher(this.kafka, Records.jobs("jobs"), new SimpleMeterRegistry())
				.publish(many));

		assertThat(this.kafka.sends()).isEqualTo(1);
	}

	/**
	 * The topic was deleted and created anew between two tries, and has another record at
	 * the offset of one that Kafka has.
	 */
	@Test
	void publishesARecordAlsoWhereAnotherOneHadItsPosition() {
		MockProducer<byte[], byte[]> producer = new MockProducer<>(false, null, new ByteArraySerializer(),
				new ByteArraySerializer());
		DeadLetterPublisher publisher = new DeadLetterPublisher(() -> producer, Records.jobs("jobs"),
				new SimpleMeterRegistry());
		CompletableFuture<Void> first = CompletableFuture.runAsync(() -> {
			Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> producer.history().size() == 2);
			producer.completeNext();
			producer.errorNext(new IllegalArgumentException("the dead-letter topic is away"));
		}, Thread::startVirtualThread);
		assertThatExceptionOfType(KafkaException.class)
			.isThrownBy(() -> publisher.publish(List.of(deadLetter(5, "old"), deadLetter(6, "old"))));
		first.join();
		producer.clear();

		CompletableFuture<Void> second = CompletableFuture.runAsync(
				() -> Awaitility.await().atMost(10, TimeUnit.SECONDS).until(producer::completeNext),
				Thread::startVirtualThread);
		publisher.publish(List.of(deadLetter(5, "new")));
		second.join();

		assertThat(producer.history()).singleElement()
			.satisfies((record) -> assertThat(record.value()).isEqualTo(Records.utf8("new")));
	}

	private static DeadLetter deadLetter(int offset) {
		return deadLetter(offset, "");
	}

	private static DeadLetter deadLetter(int offset, String value) {
		return new DeadLetter(new ConsumerRecord<>("jobs", 0, offset, new byte[0], Records.utf8(value)),
				DeadLetter.Reason.NOT_JSON, "nonsense", null);
	}

}
