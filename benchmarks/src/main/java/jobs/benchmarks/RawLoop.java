package jobs.benchmarks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.bson.BsonBinaryWriter;
import org.bson.RawBsonDocument;
import org.bson.io.BasicOutputBuffer;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The floor of kafka-to-mongo: polls, makes BSON of JSON, inserts. No contract, no
 * digest, no dead letters: a record that is no job ends it. The next poll overlaps the
 * insert, and commits are not waited for.
 */
final class RawLoop {

	private static final JsonFactory JSON = new JsonFactory();

	private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

	private RawLoop() {
	}

	/**
	 * Runs until it is killed.
	 * @param args the address of Kafka, the topic, and the connection string with the
	 * database
	 */
	static void main(String[] args) throws ExecutionException, InterruptedException {
		Map<String, Object> settings = Map.of("bootstrap.servers", args[0], "group.id", args[1], "auto.offset.reset",
				"earliest", "enable.auto.commit", false, "max.poll.records", 2000, "receive.buffer.bytes", -1);
		try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(),
				new ByteArrayDeserializer());
				MongoClient mongo = MongoClients.create(args[2]);
				ExecutorService inserts = Executors.newSingleThreadExecutor()) {
			consumer.subscribe(List.of(args[1]));
			run(consumer,
					mongo.getDatabase("raw")
						.getCollection("jobs", RawBsonDocument.class)
						.withWriteConcern(WriteConcern.MAJORITY),
					inserts);
		}
	}

	private static void run(KafkaConsumer<byte[], byte[]> consumer, MongoCollection<RawBsonDocument> collection,
			ExecutorService inserts) throws ExecutionException, InterruptedException {
		Future<?> insert = CompletableFuture.completedFuture(null);
		Map<TopicPartition, OffsetAndMetadata> offsets = Map.of();
		while (true) {
			ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
			List<RawBsonDocument> documents = new ArrayList<>(records.count());
			for (ConsumerRecord<byte[], byte[]> record : records) {
				documents.add(document(record));
			}
			insert.get();
			if (!offsets.isEmpty()) {
				consumer.commitAsync(offsets, null);
			}
			offsets = records.nextOffsets();
			if (!documents.isEmpty()) {
				insert = inserts.submit(() -> collection.insertMany(documents, UNORDERED));
			}
		}
	}

	private static RawBsonDocument document(ConsumerRecord<byte[], byte[]> record) {
		BasicOutputBuffer buffer = new BasicOutputBuffer(record.value().length + 128);
		try (BsonBinaryWriter bson = new BsonBinaryWriter(buffer);
				JsonParser json = JSON.createParser(ObjectReadContext.empty(), record.value())) {
			json.nextToken();
			bson.writeStartDocument();
			bson.writeString("_id", new String(record.key(), StandardCharsets.UTF_8));
			for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
				write(json, token, bson);
			}
		}
		return new RawBsonDocument(buffer.getInternalBuffer(), 0, buffer.getPosition());
	}

	private static void write(JsonParser json, JsonToken token, BsonBinaryWriter bson) {
		switch (token) {
			case START_OBJECT -> bson.writeStartDocument();
			case END_OBJECT -> bson.writeEndDocument();
			case START_ARRAY -> bson.writeStartArray();
			case END_ARRAY -> bson.writeEndArray();
			case PROPERTY_NAME -> bson.writeName(json.currentName());
			case VALUE_STRING -> bson.writeString(json.getString());
			case VALUE_NUMBER_INT -> bson.writeInt64(json.getLongValue());
			case VALUE_NUMBER_FLOAT -> bson.writeDouble(json.getDoubleValue());
			case VALUE_TRUE, VALUE_FALSE -> bson.writeBoolean(token == JsonToken.VALUE_TRUE);
			case VALUE_NULL -> bson.writeNull();
			default -> throw new IllegalStateException("Token " + token);
		}
	}

}
