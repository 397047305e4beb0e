package jobs.chassis.kafka;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.kafka.autoconfigure.DefaultKafkaProducerFactoryCustomizer;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Replaces a producer that sends nothing although Kafka takes records. Kafka's producer
 * asks for its id once; where Kafka refuses its credentials at that moment, it lets each
 * record expire until the process ends (KAFKA-20237).
 */
final class StuckProducer implements DefaultKafkaProducerFactoryCustomizer {

	private static final Logger logger = LoggerFactory.getLogger(StuckProducer.class);

	private final BooleanSupplier takesRecords;

	private @Nullable ProducerFactory<?, ?> factory;

	private volatile @Nullable Producer<?, ?> producer;

	/** The records that the producer had sent at the last look. */
	private double sent;

	/** The records that had failed. */
	private double failed;

	/** Leaves the producer alone while Kafka may not take records. */
	StuckProducer(BooleanSupplier takesRecords) {
		this.takesRecords = takesRecords;
	}

	@Override
	public void customize(DefaultKafkaProducerFactory<?, ?> factory) {
		this.factory = factory;
		listen(factory);
	}

	private <K, V> void listen(DefaultKafkaProducerFactory<K, V> factory) {
		factory.addListener(new ProducerFactory.Listener<>() {

			@Override
			public void producerAdded(String id, Producer<K, V> producer) {
				StuckProducer.this.producer = producer;
			}

		});
	}

	/**
	 * Replaces the producer if records have expired since the last look and none left.
	 */
	@Scheduled(fixedDelay = 10, timeUnit = TimeUnit.SECONDS)
	void replaceIfStuck() {
		Producer<?, ?> producer = this.producer;
		ProducerFactory<?, ?> factory = this.factory;
		if (producer == null || factory == null) {
			return;
		}
		double sent = total(producer, "record-send-total");
		double failed = total(producer, "record-error-total");
		boolean isStuck = failed > this.failed && sent == this.sent;
		this.sent = sent;
		this.failed = failed;
		if (isStuck && this.takesRecords.getAsBoolean()) {
			logger.warn("Kafka answers, and its producer sends nothing: it is replaced");
			this.sent = 0;
			this.failed = 0;
			factory.reset();
		}
	}

	private static double total(Producer<?, ?> producer, String name) {
		return producer.metrics()
			.entrySet()
			.stream()
			.filter((metric) -> metric.getKey().group().equals("producer-metrics")
					&& metric.getKey().name().equals(name))
			.mapToDouble((metric) -> (double) metric.getValue().metricValue())
			.sum();
	}

}
