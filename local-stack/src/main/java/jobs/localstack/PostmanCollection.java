package jobs.localstack;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes a collection for Postman (v2.1) of the OpenAPI document that a service with a
 * file of resources serves: a folder for each tag, and in it a request for each operation
 * whose answer has an end, with the first example of each type as its body.
 */
final class PostmanCollection {

	private static final Map<String, String> SERVICES = Map.of("rest-to-kafka", "{{restToKafka}}", "kafka-to-mongo",
			"{{kafkaToMongo}}");

	private static final JsonMapper JSON = new JsonMapper();

	private final JsonNode api;

	private PostmanCollection(JsonNode api) {
		this.api = api;
	}

	/**
	 * Reads the document from the standard input and prints the collection.
	 * @param args the addresses of rest-to-kafka and of kafka-to-mongo
	 */
	static void main(String[] args) {
		PostmanCollection made = new PostmanCollection(JSON.readTree(System.in));
		new PrintStream(System.out, true, StandardCharsets.UTF_8)
			.println(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(made.collection(args[0], args[1])));
	}

	private ObjectNode collection(String restToKafka, String kafkaToMongo) {
		ObjectNode collection = JsonNodeFactory.instance.objectNode();
		collection.putObject("info")
			.put("name", this.api.at("/info/title").asString())
			.put("description", this.api.at("/info/description").asString())
			.put("schema", "https://schema.getpostman.com/json/collection/v2.1.0/collection.json");
		collection.putObject("auth")
			.put("type", "bearer")
			.putArray("bearer")
			.add(pair("token", "{{token}}").put("type", "string"));
		collection.putArray("variable")
			.add(pair("restToKafka", restToKafka))
			.add(pair("kafkaToMongo", kafkaToMongo))
			.add(pair("token", ""));
		Map<String, ArrayNode> folders = new LinkedHashMap<>();
		ArrayNode items = collection.putArray("item");
		this.api.path("paths").properties().forEach((path) -> path.getValue().properties().forEach((one) -> {
			ArrayNode folder = folders.computeIfAbsent(one.getValue().at("/tags/0").asString(),
					(tag) -> items.addObject().put("name", tag).putArray("item"));
			add(folder, path.getKey(), one.getKey(), one.getValue());
		}));
		return collection;
	}

	private void add(ArrayNode folder, String path, String method, JsonNode operation) {
		if (operation.at("/responses/200/content").has("text/event-stream")) {
			// who sends all requests would wait for its end
			return;
		}
		JsonNode servers = operation.has("servers") ? operation.path("servers") : this.api.path("servers");
		for (JsonNode server : servers) {
			String address = SERVICES.get(server.path("description").asString());
			if (address != null) {
				String of = (servers.size() > 2) ? " (%s)".formatted(server.path("description").asString()) : "";
				String name = operation.path("summary").asString() + of;
				JsonNode content = operation.at("/requestBody/content");
				if (content.isEmpty()) {
					add(folder, name, request(path, method, operation, address));
				}
				content.properties().forEach((type) -> {
					ObjectNode request = request(path, method, operation, address);
					request.withArrayProperty("header").add(pair("Content-Type", type.getKey()));
					request.putObject("body").put("mode", "raw").put("raw", body(type.getValue()));
					add(folder, "%s: %s".formatted(name, type.getKey()), request);
				});
			}
		}
	}

	private static void add(ArrayNode folder, String name, ObjectNode request) {
		folder.addObject().put("name", name).set("request", request);
	}

	private static String body(JsonNode type) {
		JsonNode example = type.has("example") ? type.path("example")
				: type.path("examples")
					.valueStream()
					.findFirst()
					.map((one) -> one.path("value"))
					.orElse(type.path("none"));
		return example.isMissingNode() ? "" : example.isString() ? example.asString() : example.toPrettyString();
	}

	/** Optional parameters stand there switched off. */
	private ObjectNode request(String path, String method, JsonNode operation, String address) {
		ObjectNode request = JsonNodeFactory.instance.objectNode();
		request.put("method", method.toUpperCase(Locale.ROOT));
		String withVariables = path.replaceAll("\\{(\\w+)}", ":$1");
		ObjectNode url = request.putObject("url").put("raw", address + withVariables);
		url.putArray("host").add(address);
		ArrayNode parts = url.putArray("path");
		for (String part : withVariables.substring(1).split("/")) {
			parts.add(part);
		}
		for (JsonNode one : operation.path("parameters")) {
			JsonNode parameter = one.has("$ref") ? this.api.at(one.path("$ref").asString().substring(1)) : one;
			ObjectNode value = pair(parameter.path("name").asString(), parameter.path("example").asString(""));
			value.put("description", parameter.path("description").asString(""));
			switch (parameter.path("in").asString()) {
				case "path" -> url.withArrayProperty("variable").add(value);
				case "query" -> url.withArrayProperty("query").add(value.put("disabled", true));
				default -> request.withArrayProperty("header").add(value.put("disabled", true));
			}
		}
		return request;
	}

	private static ObjectNode pair(String key, String value) {
		return JsonNodeFactory.instance.objectNode().put("key", key).put("value", value);
	}

}
