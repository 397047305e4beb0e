package jobs.resttokafka.http;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;

import jobs.testkit.Backends;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;

import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * What tests over HTTP have in common.
 */
abstract class HttpTestBase {

	final HttpClient client = HttpClient.newHttpClient();

	@LocalServerPort
	int port;

	HttpRequest.Builder post(String body) {
		return post("/jobs", body);
	}

	HttpRequest.Builder post(String path, String body) {
		return HttpRequest.newBuilder(uri(path))
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(body));
	}

	URI uri(String path) {
		return URI.create("http://127.0.0.1:" + this.port + path);
	}

	HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		return this.client.send(request.timeout(Duration.ofSeconds(10)).build(), HttpResponse.BodyHandlers.ofString());
	}

	/** The first record of a topic with a key, which may come yet. */
	static ConsumerRecord<String, byte[]> record(String topic, String key) {
		try (KafkaConsumer<String, byte[]> consumer = new KafkaConsumer<>(
				Map.of("bootstrap.servers", Backends.get().kafka()), new StringDeserializer(),
				new ByteArrayDeserializer())) {
			List<TopicPartition> partitions = consumer.partitionsFor(topic)
				.stream()
				.map((one) -> new TopicPartition(topic, one.partition()))
				.toList();
			consumer.assign(partitions);
			consumer.seekToBeginning(partitions);
			return Awaitility.await()
				.pollInSameThread()
				.atMost(20, TimeUnit.SECONDS)
				.until(() -> StreamSupport.stream(consumer.poll(Duration.ofMillis(200)).spliterator(), false)
					.filter((record) -> key.equals(record.key()))
					.toList(), (found) -> !found.isEmpty())
				.getFirst();
		}
	}

	/** The text of a record's header, empty where it has none of this name. */
	static String header(ConsumerRecord<?, ?> record, String name) {
		Header header = record.headers().lastHeader(name);
		return (header != null) ? new String(header.value(), StandardCharsets.UTF_8) : "";
	}

}
