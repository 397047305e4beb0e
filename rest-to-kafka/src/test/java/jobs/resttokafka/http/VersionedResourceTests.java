package jobs.resttokafka.http;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

import org.apache.kafka.clients.consumer.ConsumerRecord;
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

/** Documents bring their id and version, and are deleted by them. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@Import(TestKafka.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VersionedResourceTests extends ReadyTestBase {

	private static final String ID = UUID.randomUUID().toString();

	private static final JsonMapper JSON = new JsonMapper();

	@TempDir
	private static Path folder;

	@DynamicPropertySource
	static void resources(DynamicPropertyRegistry registry) throws IOException {
		Files.writeString(folder.resolve("order.schema.json"), """
				{"type":"object","required":["id","revision"],"properties":{
				 "id":{"type":"string"},"number":{"type":"integer"},"revision":{"type":"integer"}}}""");
		Files.writeString(folder.resolve("parcel.schema.json"), """
				{"type":"object","required":["number"],"properties":{"number":{"type":"integer"}}}""");
		Files.writeString(folder.resolve("numbered.schema.json"), """
				{"type":"object","required":["number","revision"],"properties":{
				 "number":{"type":"integer"},"revision":{"type":"integer"}}}""");
		Files.writeString(folder.resolve("resources.yaml"), """
				resources:
				  orders:
				    contract: order.schema.json
				    id: /id
				    version: /revision
				    topic: orders-%1$s
				  parcels:
				    contract: parcel.schema.json
				    id: /number
				    topic: parcels-%1$s
				  numbered:
				    contract: numbered.schema.json
				    id: /number
				    version: /revision
				    topic: numbered-%1$s
				""".formatted(ID));
		registry.add("jobs.resources", () -> "file:" + folder.resolve("resources.yaml"));
	}

	@ParameterizedTest
	@CsvSource({ "A-1,A-1", "a/b?ä\uD83D\uDE00,a%2Fb%3F%C3%A4%F0%9F%98%80", "..,?id=..", "a%2Fb,a%252Fb",
			"events,?id=events", "dead-letters,?id=dead-letters" })
	void publishesADocumentUnderItsOwnId(String id, String encoded) throws Exception {
		String order = "{\"revision\":1,\"id\":\"" + id + "\"}";

		HttpResponse<String> answer = send(post("/orders", order));

		assertThat(answer.statusCode()).isEqualTo(202);
		assertThat(answer.body()).isEqualTo(order + "\n");
		assertThat(answer.headers().firstValue("Location"))
			.hasValue("http://localhost:9091/orders" + (encoded.startsWith("?") ? "" : "/") + encoded);
		assertThat(new String(record("orders-" + ID, id).value(), StandardCharsets.UTF_8)).isEqualTo(order);
	}

	/** A head has 2 KB. */
	@Test
	void leavesOutALongLocation() throws Exception {
		HttpResponse<String> answer = send(post("/orders", "{\"id\":\"" + "\u4e2d".repeat(512) + "\",\"revision\":1}"));

		assertThat(answer.statusCode()).isEqualTo(202);
		assertThat(answer.headers().firstValue("Location")).isEmpty();
	}

	@Test
	void showsAnIdThatIsAnotherFieldOnce() throws Exception {
		HttpResponse<String> answer = send(post("/parcels", "{\"number\":7.0}"));

		assertThat(answer.body()).isEqualTo("{\"_id\":\"7\",\"number\":7.0}\n");
		assertThat(record("parcels-" + ID, "7").value()).isNotNull();
	}

	@Test
	void tellsTheOwnIdOfEachLine() throws Exception {
		HttpResponse<String> answer = send(HttpRequest.newBuilder(uri("/orders"))
			.header("Content-Type", "application/x-ndjson")
			.POST(BodyPublishers.ofString("""
					{"id":"quote \\" and \\u0000","revision":1}
					{"id":"","revision":1}
					{"id":"u","revision":1.5}
					{"id":"u","revision":99999999999999999999}
					""")));

		List<JsonNode> lines = answer.body().lines().map(JSON::readTree).toList();
		assertThat(lines).extracting((line) -> line.get("status").asInt()).containsExactly(202, 400, 400, 400);
		assertThat(lines.getFirst().get("id").asString()).isEqualTo("quote \" and \0");
		assertThat(lines.get(1).at("/errors/0/pointer").asString()).isEqualTo("/id");
	}

	@ParameterizedTest
	@CsvSource({ "A-2,202", "A-3,422", "A-1,422" })
	void asksForNoOtherIdempotencyKey(String key, int status) throws Exception {
		HttpResponse<String> answer = send(
				post("/orders", "{\"id\":\"A-2\",\"revision\":1}").header("Idempotency-Key", key));

		assertThat(answer.statusCode()).isEqualTo(status);
		if (status == 422) {
			assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
			assertThat(answer.body()).contains("The id of this document is its /id");
		}
	}

	@Test
	void ignoresTheIdOfACloudEvent() throws Exception {
		HttpResponse<String> answer = send(
				post("/orders", "{\"id\":\"A-4\",\"revision\":1}").header("ce-specversion", "1.0")
					.header("ce-id", "e")
					.header("ce-source", "/shop")
					.header("ce-type", "t"));

		assertThat(answer.statusCode()).isEqualTo(202);
		assertThat(header(record("orders-" + ID, "A-4"), "ce_id")).isEqualTo("e");
	}

	@ParameterizedTest
	@CsvSource({ "/orders/D-1?version=8,,D-1,8", "/orders?id=D%2F2&version=-9,,D/2,-9", "/orders/D-3,\"7\",D-3,8",
			"/orders/D-4?version=1970-01-01T00:00:01Z,,D-4,1000" })
	void deletesADocumentUpToAVersion(String path, @Nullable String tag, String id, String version) throws Exception {
		HttpResponse<String> answer = send(delete(path, tag));

		assertThat(answer.statusCode()).isEqualTo(202);
		assertThat(answer.body()).isEqualToIgnoringNewLines("{\"id\":\"%s\",\"version\":%s}".formatted(id, version));
		ConsumerRecord<String, byte @Nullable []> record = record("orders-" + ID, id);
		assertThat(record.value()).isNull();
		assertThat(header(record, "version")).isEqualTo(version);
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '`',
			value = { "/orders/A,,428", "/orders/A?version=x,,400", "/orders/A?version=1&version=2,,400",
					"/orders/A?version=9223372036854775808,,400", "/orders/A?version=1,`\"1\"`,400", "/orders/A,*,400",
					"/orders/A,W/\"1\",400", "/orders/A,\"9223372036854775807\",400", "/orders/A,\"1\" \"2\",400",
					"/orders?version=1,,400", "/orders/?version=1,,400", "/orders/A?id=A&version=1,,400",
					"/orders/A?version=1&x=1,,400", "/orders/A?version=%ff,,400", "/numbered/007?version=1,,400",
					"/numbered/a?version=1,,400", "/orders/A;x?version=1,,400", "/parcels/7?version=1,,404",
					"/parcels?id=7,,405" })
	void refusesADeletionThatIsNone(String path, @Nullable String tag, int status) throws Exception {
		HttpResponse<String> answer = send(delete(path, tag));

		assertThat(answer.statusCode()).isEqualTo(status);
		assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "/orders|POST,DELETE,OPTIONS", "/orders/A|DELETE,OPTIONS", "/parcels|POST,OPTIONS" })
	void tellsWhichMethodsThereAre(String path, String methods) throws Exception {
		HttpResponse<String> put = send(HttpRequest.newBuilder(uri(path)).PUT(BodyPublishers.ofString("{}")));

		assertThat(put.statusCode()).isEqualTo(405);
		assertThat(put.headers().firstValue("Allow")).hasValue(methods);
		assertThat(send(HttpRequest.newBuilder(uri(path)).method("OPTIONS", BodyPublishers.noBody())).headers()
			.firstValue("Allow")).hasValue(methods);
	}

	private HttpRequest.Builder delete(String path, @Nullable String tag) {
		HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).DELETE();
		return (tag != null) ? request.header("If-Match", tag) : request;
	}

}
