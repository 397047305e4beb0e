package jobs.kafkatomongo;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

import org.springframework.kafka.core.DefaultKafkaProducerFactory;

/**
 * A real producer, and nobody who listens to it. It counts how often it is asked for.
 */
public final class UnreachableKafka extends DefaultKafkaProducerFactory<byte[], byte[]> {

	private final AtomicInteger sends = new AtomicInteger();

	public UnreachableKafka() {
		super(Map.of("bootstrap.servers", "127.0.0.1:1", "max.block.ms", 100), new ByteArraySerializer(),
				new ByteArraySerializer());
	}

	@Override
	public Producer<byte[], byte[]> createProducer() {
		this.sends.incrementAndGet();
		return super.createProducer();
	}

	public int sends() {
		return this.sends.get();
	}

}
