package jobs.endtoend.load;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import jobs.endtoend.pair.Evidence;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Bad records that somebody else puts on the topic, and what is known of their
 * corrections; a header tells their numbers.
 */
public final class Strays implements AutoCloseable {

	public static final String HEADER = "stray";

	private final KafkaProducer<byte[], byte[]> producer;

	private final String topic;

	private final AtomicInteger next = new AtomicInteger();

	private final Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();

	private final Map<Integer, Boolean> corrections = new ConcurrentHashMap<>();

	public Strays(String kafka, String topic) {
		this.topic = topic;
		this.producer = new KafkaProducer<>(Map.of("bootstrap.servers", kafka, "acks", "all", "max.block.ms", 120_000,
				"delivery.timeout.ms", 120_000), new ByteArraySerializer(), new ByteArraySerializer());
	}

	/**
	 * Sends records, without waiting.
	 */
	public void send(int count) {
		for (int i = 0; i < count; i++) {
			int number = this.next.getAndIncrement();
			ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(this.topic, key(number), value(number));
			record.headers().add(HEADER, Integer.toString(number).getBytes(StandardCharsets.UTF_8));
			this.producer.send(record, (metadata, failure) -> {
				if (failure == null) {
					this.acknowledged.add(number);
				}
			});
		}
	}

	/**
	 * Those that Kafka has for certain, once all that were sent have come to an end.
	 */
	public Set<Integer> acknowledged() {
		this.producer.flush();
		return this.acknowledged;
	}

	public static int number(ConsumerRecord<byte[], byte[]> record) {
		String number = Evidence.header(record, HEADER);
		return number.isEmpty() ? -1 : Integer.parseInt(number);
	}

	private static byte @Nullable [] key(int number) {
		return (number % 3 == 0) ? null : ("stray-" + number).getBytes(StandardCharsets.UTF_8);
	}

	public static byte @Nullable [] value(int number) {
		String value = switch (number % 7) {
			case 0 -> "stray " + number;
			case 1 -> "";
			case 2 -> "{\"title\":7,\"stray\":%d}".formatted(number);
			case 3 -> "{\"title\":\"twice\",\"title\":\"%d\"}".formatted(number);
			case 4 -> "{\"title\":\"deep\",\"x\":%s%s}".formatted("[".repeat(1000), "]".repeat(1000));
			case 5 -> "{\"title\":\"half";
			default -> null;
		};
		return (value != null) ? value.getBytes(StandardCharsets.UTF_8) : null;
	}

	/**
	 * The job that a stray record should have been.
	 */
	public static String correction(int number) {
		return "{\"title\":\"Corrected\",\"correctionOf\":%d}".formatted(number);
	}

	/**
	 * Notes that a correction was sent. One that was acknowledged stays so.
	 */
	public void noteCorrection(int number, boolean acknowledged) {
		this.corrections.merge(number, acknowledged, Boolean::logicalOr);
	}

	/**
	 * Whether a correction was acknowledged.
	 */
	public boolean isCorrected(int number) {
		return this.corrections.getOrDefault(number, false);
	}

	/**
	 * The numbers of those for which a correction was sent.
	 */
	public Set<Integer> corrections() {
		return this.corrections.keySet();
	}

	@Override
	public void close() {
		this.producer.close();
	}

}
