package jobs.kafkatomongo;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.SendResult;

/**
 * A real producer, and nobody who listens to it. It counts what it is asked to send.
 */
public final class UnreachableKafka extends KafkaTemplate<byte[], byte[]> {

	private final AtomicInteger sends = new AtomicInteger();

	public UnreachableKafka() {
		super(new DefaultKafkaProducerFactory<>(Map.of("bootstrap.servers", "127.0.0.1:1", "max.block.ms", 100),
				new ByteArraySerializer(), new ByteArraySerializer()));
	}

	@Override
	public CompletableFuture<SendResult<byte[], byte[]>> send(ProducerRecord<byte[], byte[]> record) {
		this.sends.incrementAndGet();
		return super.send(record);
	}

	public int sends() {
		return this.sends.get();
	}

	@Override
	public void destroy() {
		((DefaultKafkaProducerFactory<?, ?>) getProducerFactory()).destroy();
	}

}
