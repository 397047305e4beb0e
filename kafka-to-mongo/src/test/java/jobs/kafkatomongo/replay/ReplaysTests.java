package jobs.kafkatomongo.replay;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.testkit.Backends;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
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
class ReplaysTests {

	private final AtomicInteger sends = new AtomicInteger();

	private final DefaultKafkaProducerFactory<byte[], byte[]> producers = new DefaultKafkaProducerFactory<>(
			Map.of("bootstrap.servers", "127.0.0.1:1", "max.block.ms", 100), new ByteArraySerializer(),
			new ByteArraySerializer());

	private final KafkaTemplate<byte[], byte[]> kafka = new KafkaTemplate<>(this.producers) {

		@Override
		public CompletableFuture<SendResult<byte[], byte[]>> send(ProducerRecord<byte[], byte[]> record) {
			ReplaysTests.this.sends.incrementAndGet();
			return super.send(record);
		}

	};

	@AfterEach
	void close() {
		this.producers.destroy();
	}

	@Test
	void replaysNoMoreOnceTheProducerRefusesOne() {
		try (MongoClient mongo = MongoClients.create(Backends.get().mongo("test"))) {
			MongoCollection<BsonDocument> collection = mongo.getDatabase("test-" + UUID.randomUUID())
				.getCollection("deadLetters", BsonDocument.class);
			collection.insertMany(IntStream.range(0, 10).mapToObj(ReplaysTests::deadLetter).toList());
			DeadLetterCollection deadLetters = new DeadLetterCollection(collection);

			assertThatExceptionOfType(KafkaException.class)
				.isThrownBy(() -> new Replays(this.kafka, deadLetters, Records.properties("jobs"))
					.replayAll(new BsonDocument(), 100));

			assertThat(this.sends).hasValue(1);
			assertThat(deadLetters.countOpen()).isEqualTo(10);
		}
	}

	private static BsonDocument deadLetter(int offset) {
		String id = "jobs#0#" + offset;
		return new BsonDocument("_id", new BsonString(id)).append("job", new BsonString(id))
			.append("state", new BsonString("open"))
			.append("headers", new BsonArray())
			.append(DeadLetterCollection.FIRST_SEEN, new BsonDateTime(offset));
	}

}
