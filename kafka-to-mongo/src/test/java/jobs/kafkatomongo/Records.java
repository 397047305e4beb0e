package jobs.kafkatomongo;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import com.mongodb.client.MongoCollection;
import jobs.contract.Contract;
import jobs.contract.HeaderNames;
import jobs.contract.RefusedDocumentException;
import jobs.contract.resources.KeyFields;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.document.LargeRecords;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.document.RecordParser;
import jobs.kafkatomongo.pipeline.Pipelines;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

import org.springframework.util.unit.DataSize;

/**
 * Records as the consumer gets them.
 */
public final class Records {

	public static final long TIMESTAMP = 1_790_000_000_123L;

	/** Enough for each record of the tests. */
	private static final LargeRecords ROOM = new LargeRecords(1L << 30);

	private Records() {
	}

	public static ConsumerRecord<byte[], byte[]> record(@Nullable String key, @Nullable String value) {
		return record((key != null) ? utf8(key) : null, (value != null) ? utf8(value) : null);
	}

	public static ConsumerRecord<byte[], byte[]> record(byte @Nullable [] key, byte @Nullable [] value) {
		return record(17, key, value);
	}

	public static ConsumerRecord<byte[], byte[]> record(long offset, byte @Nullable [] key, byte @Nullable [] value) {
		return new ConsumerRecord<>("topic", 3, offset, TIMESTAMP, TimestampType.CREATE_TIME, 0, 0, key, value,
				new RecordHeaders(), Optional.empty());
	}

	public static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * The settings of a service that reads such records.
	 */
	public static KafkaToMongoProperties properties(String topic) {
		return properties(topic, Duration.ZERO);
	}

	/**
	 * The settings of a service that gives up a refused document after a time.
	 */
	public static KafkaToMongoProperties properties(String topic, Duration refusalTime) {
		return new KafkaToMongoProperties(topic, topic + "-dlt", 6, null, Duration.ofDays(7), "jobs", "deadLetters",
				DataSize.ofMegabytes(1), Duration.ofSeconds(10), 3, refusalTime, Duration.ofSeconds(30),
				Duration.ofDays(30), List.of());
	}

	/**
	 * The resource of jobs with a topic, of up to a megabyte.
	 */
	public static Resource jobs(String topic) {
		return jobs(topic, 1 << 20);
	}

	/**
	 * The resource of jobs of up to so many bytes.
	 */
	public static Resource jobs(String topic, int maxSize) {
		return new Resource("jobs", List.of(Contract.load()), "", KeyFields.NONE, List.of("/company"), List.of(),
				maxSize, topic, topic + "-dlt", "jobs", "deadLetters", topic);
	}

	/**
	 * A resource whose documents bring an id, a version, and maybe a time to expire.
	 */
	public static Resource orders(String topic) {
		Contract contract = new Contract("""
				{"type":"object","required":["orderNumber","revision"],"properties":{
				 "orderNumber":{"type":"string"},"revision":{"type":"integer"},"deleteAfter":{"type":"string"}}}""");
		return new Resource("orders", List.of(contract), "", new KeyFields("/orderNumber", "/revision", "/deleteAfter"),
				List.of(), List.of(), 1 << 20, topic, topic + "-dlt", "orders", "orders.deadLetters", topic);
	}

	/**
	 * Parses a record of {@link #orders}, with a header {@code version} where one is
	 * given.
	 */
	public static ParsedRecord order(Resource orders, long offset, String key, @Nullable String value,
			@Nullable String version) {
		ConsumerRecord<byte[], byte[]> record = record(offset, utf8(key), (value != null) ? utf8(value) : null);
		if (version != null) {
			record.headers().add(HeaderNames.VERSION, utf8(version));
		}
		try {
			return new RecordParser(orders.contracts(), orders.keys(), Clock.systemUTC(), orders.maxSize(), ROOM)
				.parse(record);
		}
		catch (RefusedDocumentException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

	/**
	 * Parses jobs of up to so many bytes.
	 */
	public static RecordParser parser(Clock clock, int maxSize) {
		return new RecordParser(List.of(Contract.load()), KeyFields.NONE, clock, maxSize, ROOM);
	}

	/**
	 * What the pipeline of the only resource has of a type.
	 */
	public static <T> T of(Pipelines pipelines, Class<T> type) {
		return pipelines.get(pipelines.resources().all().getFirst(), type);
	}

	/**
	 * The collection of the only resource.
	 */
	@SuppressWarnings("unchecked")
	public static MongoCollection<BsonDocument> collection(Pipelines pipelines) {
		return of(pipelines, MongoCollection.class);
	}

}
