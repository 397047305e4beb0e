package jobs.resttokafka.http;

import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import jobs.testkit.Backends;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Documents of each resource go to its own topic, by its own contract, beside the jobs.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@Import(TestKafka.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyResourcesTests extends ReadyTestBase {

	private static final String ID = UUID.randomUUID().toString();

	private static final String ORDERS = "orders-" + ID;

	private static final String ORDER = "{\"id\":7,\"orderNumber\":\"A-1\"}";

	@TempDir
	private static Path folder;

	@DynamicPropertySource
	static void resources(DynamicPropertyRegistry registry) throws IOException {
		Files.writeString(folder.resolve("order.schema.json"),
				"{\"type\":\"object\",\"required\":[\"orderNumber\"],\"properties\":{\"orderNumber\":{\"type\":\"string\",\"maxLength\":9}}}");
		Files.writeString(folder.resolve("resources.yaml"), """
				resources:
				  jobs:
				    topic: jobs-%1$s
				    max-size: 2MB
				  orders:
				    contract: order.schema.json
				    topic: orders-%1$s
				    max-size: 1KB
				""".formatted(ID));
		registry.add("jobs.resources", () -> "file:" + folder.resolve("resources.yaml"));
	}

	@Test
	void publishesADocumentToTheTopicOfItsResource() throws Exception {
		HttpResponse<String> answer = send(order(ORDER));

		assertThat(answer.statusCode()).isEqualTo(202);
		String id = json(answer.body()).get("_id").asString();
		assertThat(answer.body()).isEqualTo("{\"_id\":\"" + id + "\"," + ORDER.substring(1) + "\n");
		assertThat(answer.headers().firstValue("Location")).hasValue("http://localhost:9091/orders/" + id);
		ConsumerRecord<String, byte[]> record = record(ORDERS, id);
		assertThat(new String(record.value(), StandardCharsets.UTF_8)).isEqualTo(ORDER);
		String digest = json(send(HttpRequest.newBuilder(uri("/contracts"))).body()).at("/contracts/1/schemas/0")
			.asString();
		assertThat(header(record, "contract")).isEqualTo(digest).hasSize(64);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			/orders | {"title":"a"}                  | 400 | The document breaks
			/orders | {"orderNumber":"too long, it is"} | 400 | /orderNumber
			/orders | [1]                            | 400 | The document must be one JSON object
			/jobs   | {"orderNumber":"A-1"}          | 400 | The job breaks
			/jobs   | {"title":"a","id":7}           | 400 | /id
			/others | {"title":"a"}                  | 404 | status
			""")
	void asksEachForItsOwnContract(String path, String body, int status, String words) throws Exception {
		HttpResponse<String> answer = send(post(path, body));

		assertThat(answer.statusCode()).isEqualTo(status);
		assertThat(answer.body()).contains(words);
	}

	@Test
	void boundsEachByItsOwnSize() throws Exception {
		HttpResponse<String> answer = send(order("{\"orderNumber\":\"A-1\",\"note\":\"" + "x".repeat(1024) + "\"}"));

		assertThat(answer.statusCode()).isEqualTo(413);
		assertThat(answer.body()).contains("A document may have 1024 bytes");
		assertThat(send(post("{\"title\":\"" + "x".repeat(2048) + "\"}")).statusCode()).isEqualTo(202);
	}

	/** By default, Kafka takes 1 MB. */
	@Test
	void createsATopicThatTakesItsLargestDocument() throws Exception {
		String job = "{\"title\":\"a\",\"note\":\"" + "x".repeat(3 << 19) + "\"}";

		assertThat(send(post("/jobs", job)).statusCode()).isEqualTo(202);
		assertThat(recordBytes("jobs-" + ID)).isEqualTo("3145728");
		assertThat(recordBytes(ORDERS)).isEqualTo("1048588");
	}

	@Test
	void uploadsManyDocuments() throws Exception {
		HttpResponse<String> answer = send(HttpRequest.newBuilder(uri("/orders"))
			.header("Content-Type", "application/x-ndjson")
			.POST(BodyPublishers.ofString(ORDER + "\n{}\n" + ORDER + "\n")));

		assertThat(answer.body().lines().map((line) -> json(line).get("status").asInt())).containsExactly(202, 400,
				202);
	}

	/**
	 * As where the topic of one takes no documents, for which each of its requests waits.
	 */
	@Test
	void leavesPlacesToOthersWhereRequestsForOneStall() throws Exception {
		List<Socket> stalled = new ArrayList<>();
		try {
			// fewer at once than may wait to be accepted, or some would be heard of
			// seconds later
			Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> {
				for (int i = 0; i < 50; i++) {
					stalled.add(stalled());
				}
				return send(order(ORDER)).statusCode() == 503;
			});

			HttpResponse<String> job = send(post("/jobs", "{\"title\":\"a\"}"));
			HttpResponse<String> order = send(order(ORDER));

			assertThat(job.statusCode()).isEqualTo(202);
			assertThat(order.headers().firstValue("Retry-After")).hasValue("1");
			assertThat(order.headers().firstValue("Content-Type")).hasValue("application/problem+json");
			assertThat(json(order.body()).get("detail").asString()).isEqualTo("Too many requests for /orders at once");
			assertThat(send(HttpRequest.newBuilder(uri("/actuator/prometheus"))).body())
				.containsPattern("jobs_requests_total\\{resource=\"orders\",status=\"503\"} [1-9]");
		}
		finally {
			for (Socket client : stalled) {
				client.close();
			}
		}
		Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> send(order(ORDER)).statusCode() == 202);
	}

	/** A client that sends the first byte of an order. */
	private Socket stalled() throws IOException {
		Socket client = new Socket("127.0.0.1", this.port);
		client.getOutputStream()
			.write("POST /orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
				.getBytes(StandardCharsets.US_ASCII));
		return client;
	}

	@Test
	void countsEachResourceByItself() throws Exception {
		send(order(ORDER));

		String metrics = send(HttpRequest.newBuilder(uri("/actuator/prometheus"))).body();
		assertThat(metrics).containsPattern("jobs_requests_total\\{resource=\"orders\",status=\"202\"} [1-9]")
			.contains("jobs_acknowledgement_seconds_count{resource=\"jobs\"}",
					"jobs_contract_info{max_size=\"1024\",resource=\"orders\",service=\"rest-to-kafka\",sha256=\"");
	}

	@Test
	void showsTheContractsInForce() throws Exception {
		JsonNode contracts = json(send(HttpRequest.newBuilder(uri("/contracts"))).body()).get("contracts");

		assertThat(contracts.valueStream().map((one) -> one.get("resource").asString())).containsExactly("jobs",
				"orders");
		HttpResponse<String> schema = send(HttpRequest.newBuilder(uri("/contracts/orders")));
		assertThat(schema.headers().firstValue("Content-Type")).hasValue("application/schema+json");
		assertThat(schema.headers().firstValue("ETag"))
			.hasValue("\"%s\"".formatted(contracts.at("/1/schemas/0").asString()));
		assertThat(contracts.at("/1/maxSize").asInt()).isEqualTo(1024);
		assertThat(schema.body()).isEqualTo(Files.readString(folder.resolve("order.schema.json")));
		assertThat(send(HttpRequest.newBuilder(uri("/contracts/others"))).statusCode()).isEqualTo(404);
	}

	@Test
	void keepsTheAttributesOfACloudEventAndItsIdentity() throws Exception {
		HttpRequest.Builder event = order(ORDER).header("ce-specversion", "1.0")
			.header("ce-id", "e%20%E2%82%AC")
			.header("ce-source", "/shop/" + ID)
			.header("ce-type", "order.placed")
			.header("ce-subject", "A-1");
		String first = json(send(event).body()).get("_id").asString();
		String again = json(send(event).body()).get("_id").asString();

		assertThat(again).isEqualTo(first);
		ConsumerRecord<String, byte[]> record = record(ORDERS, first);
		assertThat(header(record, "ce_id")).isEqualTo("e €");
		assertThat(header(record, "ce_source")).isEqualTo("/shop/" + ID);
		assertThat(header(record, "ce_specversion")).isEqualTo("1.0");
		assertThat(header(record, "ce_subject")).isEqualTo("A-1");
		assertThat(header(record, "content-type")).isEqualTo("application/json");
		String other = json(send(event.header("Idempotency-Key", "k" + ID)).body()).get("_id").asString();
		assertThat(other).isNotEqualTo(first);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			0.3 | a   | /b  | c   | application/json
			1.0 |     | /b  | c   | application/json
			1.0 | a   | ^   | c   | application/json
			1.0 | a   | /b  |     | application/json
			1.0 | %FF | /b  | c   | application/json
			1.0 | %00 | /b  | c   | application/json
			1.0 | a   | /b  | c   | application/x-ndjson
			""")
	void refusesAMalformedCloudEvent(String version, @Nullable String id, String source, @Nullable String type,
			String mediaType) throws Exception {
		HttpRequest.Builder event = HttpRequest.newBuilder(uri("/orders"))
			.header("Content-Type", mediaType)
			.header("ce-specversion", version)
			.header("ce-source", source)
			.POST(BodyPublishers.ofString(ORDER));
		Map<String, String> others = new HashMap<>();
		others.put("ce-id", id);
		others.put("ce-type", type);
		others.forEach((name, value) -> {
			if (value != null) {
				event.header(name, value);
			}
		});

		assertThat(send(event).statusCode()).isEqualTo(400);
	}

	@Test
	void saysHowACloudEventIsSent() throws Exception {
		HttpResponse<String> answer = send(HttpRequest.newBuilder(uri("/orders"))
			.header("Content-Type", "application/cloudevents+json")
			.POST(BodyPublishers.ofString("{\"specversion\":\"1.0\",\"data\":{}}")));

		assertThat(answer.statusCode()).isEqualTo(415);
		assertThat(answer.body()).contains("binary mode", "ce-specversion");
	}

	private static String recordBytes(String topic) throws Exception {
		ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
		try (Admin admin = Admin.create(Map.of("bootstrap.servers", Backends.get().kafka()))) {
			return Objects
				.requireNonNull(admin.describeConfigs(List.of(resource)).all().get(10, TimeUnit.SECONDS).get(resource))
				.get("max.message.bytes")
				.value();
		}
	}

	private HttpRequest.Builder order(String body) {
		return post("/orders", body);
	}

	private static JsonNode json(String text) {
		return new JsonMapper().readTree(text);
	}

}
