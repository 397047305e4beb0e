package jobs.endtoend.pair;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import jobs.localstack.Readiness;
import jobs.testkit.Backends;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.bson.BsonDocument;

/**
 * Both services as processes, with topics, a group and a database of their own.
 */
public final class Pair implements AutoCloseable {

	private static final Duration START_LIMIT = Duration.ofSeconds(60);

	public final String topic = "jobs-" + UUID.randomUUID();

	public final String deadLetterTopic = this.topic + "-dlt";

	public final int port = Ports.free();

	public final int readPort = Ports.free();

	public final Child restToKafka;

	public final Child kafkaToMongo;

	private final HttpClient http;

	private final Readiness readiness;

	private final Access access;

	private final MongoClient mongo = MongoClients.create(Backends.get().mongo(this.topic));

	public Pair() {
		this(Map.of());
	}

	public Pair(Map<String, String> settings) {
		this(settings, Access.OPEN);
	}

	/**
	 * A pair to start.
	 * @param settings of both services
	 * @param access how to connect to them
	 */
	public Pair(Map<String, String> settings, Access access) {
		this.access = access;
		this.http = access.client(Duration.ofSeconds(2));
		this.readiness = new Readiness(access.isEncrypted());
		Map<String, String> environment = new HashMap<>(settings);
		environment.putAll(settings(this.topic, Backends.get().mongo(this.topic)));
		environment.put("REST_TO_KAFKA_JOBS_URL", access.uri(this.readPort, "/jobs").toString());
		this.restToKafka = service("rest-to-kafka", Path.of("target"), this.port, environment);
		this.kafkaToMongo = service("kafka-to-mongo", Path.of("target"), this.readPort, environment);
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			this.restToKafka.kill();
			this.kafkaToMongo.kill();
		}));
	}

	/**
	 * The settings of both services for a topic, whose name the group has, too.
	 * @param topic the topic of the jobs
	 * @param mongo the address of the database
	 */
	public static Map<String, String> settings(String topic, String mongo) {
		return Map.of("SPRING_KAFKA_BOOTSTRAP_SERVERS", Backends.get().kafka(), "SPRING_MONGODB_URI", mongo,
				"SPRING_KAFKA_CONSUMER_GROUP_ID", topic, "REST_TO_KAFKA_TOPIC", topic, "KAFKA_TO_MONGO_TOPIC", topic,
				"KAFKA_TO_MONGO_DEAD_LETTER_TOPIC", topic + "-dlt");
	}

	/**
	 * A service as Maven has built it, at a port.
	 * @param name its name
	 * @param folder of its log
	 * @param port where it listens
	 * @param environment its other settings
	 * @return the process, not started
	 */
	public static Child service(String name, Path folder, int port, Map<String, String> environment) {
		Map<String, String> own = new HashMap<>(environment);
		own.put("SERVER_PORT", Integer.toString(port));
		return service(name, name, folder, own);
	}

	/**
	 * A service as Maven has built it, with the heap of its image.
	 * @param module the service
	 * @param name its name, for people and its log
	 * @param folder of its log
	 * @param environment its settings
	 * @return the process, not started
	 */
	public static Child service(String module, String name, Path folder, Map<String, String> environment) {
		return service(Application.of(module), name, folder, environment);
	}

	/**
	 * A service with the heap of its image.
	 * @param application the service
	 * @param name its name, for people and its log
	 * @param folder of its log
	 * @param environment its settings
	 * @return the process, not started
	 */
	public static Child service(Application application, String name, Path folder, Map<String, String> environment) {
		List<String> arguments = new ArrayList<>(
				List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:NewRatio=1", "-XX:SurvivorRatio=3"));
		arguments.addAll(application.arguments());
		return Programs.java(name, folder.resolve(name + ".log"), environment, arguments.toArray(String[]::new));
	}

	public Pair start() {
		this.restToKafka.start();
		this.kafkaToMongo.start();
		awaitReady(this.restToKafka);
		awaitReady(this.kafkaToMongo);
		return this;
	}

	public void awaitReady(Child service) {
		int port = (service == this.restToKafka) ? this.port : this.readPort;
		service.awaitReady(() -> this.readiness.isAt(port), START_LIMIT);
	}

	@Override
	public void close() {
		this.restToKafka.close();
		this.kafkaToMongo.close();
		this.mongo.close();
	}

	public HttpResponse<String> post(String job, String... headers) throws IOException {
		return post(jobs(), job, headers);
	}

	public HttpResponse<String> post(URI address, String document, String... headers) throws IOException {
		HttpRequest.Builder request = HttpRequest.newBuilder(address)
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(document));
		return send((headers.length > 0) ? request.headers(headers) : request);
	}

	public HttpResponse<String> upload(byte[] lines, String... headers) throws IOException {
		HttpRequest.Builder request = HttpRequest.newBuilder(jobs())
			.header("Content-Type", "application/x-ndjson")
			.POST(BodyPublishers.ofByteArray(lines));
		return send((headers.length > 0) ? request.headers(headers) : request);
	}

	public HttpResponse<String> get(URI address, String... headers) throws IOException {
		HttpRequest.Builder request = HttpRequest.newBuilder(address);
		return send((headers.length > 0) ? request.headers(headers) : request);
	}

	public HttpResponse<String> delete(URI address) throws IOException {
		return send(HttpRequest.newBuilder(address).DELETE());
	}

	public URI jobs() {
		return this.access.uri(this.port, "/jobs");
	}

	private HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
		try {
			return this.http.send(request.timeout(Duration.ofSeconds(60)).build(),
					HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	public MongoCollection<BsonDocument> documents() {
		return this.mongo.getDatabase(this.topic).getCollection("jobs", BsonDocument.class);
	}

	/** The dead letters in MongoDB. */
	public MongoCollection<BsonDocument> keptDeadLetters() {
		return this.mongo.getDatabase(this.topic).getCollection("deadLetters", BsonDocument.class);
	}

	public List<ConsumerRecord<byte[], byte[]>> deadLetters() {
		try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
			List<TopicPartition> partitions = partitions(consumer, this.deadLetterTopic);
			consumer.assign(partitions);
			consumer.seekToBeginning(partitions);
			Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
			List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
			while (partitions.stream().anyMatch((partition) -> consumer.position(partition) < ends.get(partition))) {
				consumer.poll(Duration.ofMillis(100)).forEach(records::add);
			}
			return records;
		}
	}

	public Map<TopicPartition, OffsetAndMetadata> committed() {
		try (Admin admin = admin()) {
			return admin.listConsumerGroupOffsets(this.topic).partitionsToOffsetAndMetadata().get(10, TimeUnit.SECONDS);
		}
		catch (ExecutionException | InterruptedException | TimeoutException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * How many records are not committed.
	 */
	public long lag() {
		Map<TopicPartition, OffsetAndMetadata> committed = committed();
		try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
			return consumer.endOffsets(partitions(consumer, this.topic)).entrySet().stream().mapToLong((end) -> {
				OffsetAndMetadata offset = committed.get(end.getKey());
				return end.getValue() - ((offset != null) ? offset.offset() : 0);
			}).sum();
		}
	}

	/**
	 * Sets the group, which must have no member, back to the beginning.
	 */
	public void replay() throws Exception {
		try (Admin admin = admin()) {
			admin.deleteConsumerGroups(List.of(this.topic)).all().get(10, TimeUnit.SECONDS);
		}
	}

	public static Admin admin() {
		return Admin.create(Map.of("bootstrap.servers", Backends.get().kafka()));
	}

	/** A producer as somebody else has one. */
	public static KafkaProducer<byte[], byte[]> producer() {
		return new KafkaProducer<>(Map.of("bootstrap.servers", Backends.get().kafka()), new ByteArraySerializer(),
				new ByteArraySerializer());
	}

	private static KafkaConsumer<byte[], byte[]> consumer() {
		return new KafkaConsumer<>(Map.of("bootstrap.servers", Backends.get().kafka()), new ByteArrayDeserializer(),
				new ByteArrayDeserializer());
	}

	private static List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer, String topic) {
		List<TopicPartition> partitions = new ArrayList<>();
		for (PartitionInfo partition : consumer.partitionsFor(topic)) {
			partitions.add(new TopicPartition(topic, partition.partition()));
		}
		return partitions;
	}

}
