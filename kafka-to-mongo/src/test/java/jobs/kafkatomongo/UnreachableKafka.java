package jobs.kafkatomongo;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

import org.springframework.kafka.core.DefaultKafkaProducerFactory;

/**
 * A real producer, and nobody who listens to it. It counts the records that it is given.
 */
public final class UnreachableKafka extends DefaultKafkaProducerFactory<byte[], byte[]> {

	private final AtomicInteger sends = new AtomicInteger();

	public UnreachableKafka() {
		super(Map.of("bootstrap.servers", "127.0.0.1:1", "max.block.ms", 100), new ByteArraySerializer(),
				new ByteArraySerializer());
		addPostProcessor(this::counted);
	}

	@SuppressWarnings("unchecked")
	private Producer<byte[], byte[]> counted(Producer<byte[], byte[]> producer) {
		return (Producer<byte[], byte[]>) Proxy.newProxyInstance(Producer.class.getClassLoader(),
				new Class<?>[] { Producer.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("send")) {
						this.sends.incrementAndGet();
					}
					try {
						return method.invoke(producer, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	public int sends() {
		return this.sends.get();
	}

}
