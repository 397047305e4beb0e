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
import jobs.testkit.Backends;
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
 * With nobody who listens to the producer.
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

	private static BsonDocument deadLetter(int offset) {
		String id = "jobs#0#" + offset;
		return new BsonDocument("_id", new BsonString(id)).append("job", new BsonString(id))
			.append("state", new BsonString("open"))
			.append("headers", new BsonArray())
			.append(DeadLetterCollection.FIRST_SEEN, new BsonDateTime(offset));
	}

}
