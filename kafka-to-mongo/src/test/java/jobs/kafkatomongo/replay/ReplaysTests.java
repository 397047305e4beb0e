package jobs.kafkatomongo.replay;

import java.util.UUID;
import java.util.stream.IntStream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.UnreachableKafka;
import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.kafkatomongo.http.OperatorAction;
import jobs.kafkatomongo.http.OperatorAction.What;
import jobs.kafkatomongo.replay.Replays.Count;
import jobs.testkit.Backends;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.kafka.KafkaException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * With a producer that sends nothing.
 */
class ReplaysTests {

	private final UnreachableKafka kafka = new UnreachableKafka();

	@AfterEach
	void close() {
		this.kafka.destroy();
	}

	@Test
	void replaysNoMoreOnceTheProducerRefusesOne() {
		try (MongoClient mongo = MongoClients.create(Backends.get().mongo("test"))) {
			MongoCollection<BsonDocument> collection = mongo.getDatabase("test-" + UUID.randomUUID())
				.getCollection("deadLetters", BsonDocument.class);
			collection.insertMany(IntStream.range(0, 10).mapToObj(ReplaysTests::deadLetter).toList());
			DeadLetterCollection deadLetters = new DeadLetterCollection(collection);

			assertThatExceptionOfType(KafkaException.class)
				.isThrownBy(() -> new Replays(this.kafka, deadLetters, Records.jobs("jobs"))
					.replayAll(new BsonDocument(), 100, new OperatorAction(What.REPLAYED, null, "127.0.0.1", null)));

			assertThat(this.kafka.sends()).isEqualTo(1);
			assertThat(deadLetters.countOpen()).isEqualTo(10);
		}
	}

	/** As a broker says whose segments are smaller than a record. */
	@Test
	void skipsThoseWhoseBatchIsTooLarge() {
		try (MongoClient mongo = MongoClients.create(Backends.get().mongo("test"));
				MockProducer<byte[], byte[]> producer = new MockProducer<>(true, null, new ByteArraySerializer(),
						new ByteArraySerializer())) {
			producer.sendException = new RecordBatchTooLargeException("The segments are smaller");
			MongoCollection<BsonDocument> collection = mongo.getDatabase("test-" + UUID.randomUUID())
				.getCollection("deadLetters", BsonDocument.class);
			collection.insertMany(IntStream.range(0, 12).mapToObj(ReplaysTests::deadLetter).toList());

			Count count = new Replays(() -> producer, new DeadLetterCollection(collection), Records.jobs("jobs"))
				.replayAll(new BsonDocument(), 100, new OperatorAction(What.REPLAYED, null, "127.0.0.1", null));

			assertThat(count.replayed()).isZero();
			assertThat(count.skipped()).isEqualTo(12);
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
