package jobs.contract.description;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code asyncapi.yaml} for the resources of a file: each has its topics, groups and
 * contract.
 */
public final class AsyncApi {

	/** The payload has it apart, since AsyncAPI's own schemas are older ones. */
	private static final String FORMAT = "application/schema+json;version=draft-2020-12";

	private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

	private final List<Described> resources;

	private final Copy copy = new Copy("asyncapi.yaml", AsyncApi::component);

	private AsyncApi(Resources resources) {
		this.resources = resources.all().stream().map(Described::of).toList();
	}

	/** The document (AsyncAPI 3.0) as JSON, which is YAML. */
	public static String of(Resources resources) {
		return Copy.text(new AsyncApi(resources).document());
	}

	private ObjectNode document() {
		ObjectNode made = NODES.objectNode();
		this.copy.source().properties().forEach((one) -> made.set(one.getKey(), switch (one.getKey()) {
			case "info" -> info((ObjectNode) one.getValue());
			case "channels" -> each(one.getValue(), Wording::channel, AsyncApi::address);
			case "operations" -> each(one.getValue(), Wording::operation, AsyncApi::group);
			case "components" -> this.copy.components();
			default -> one.getValue();
		}));
		return made;
	}

	private JsonNode info(ObjectNode info) {
		if (this.resources.stream().anyMatch((one) -> !one.resource().isJobs())) {
			info.put("title", Wording.ofAny(info.path("title").asString()));
		}
		return info;
	}

	private JsonNode each(JsonNode parts, BiFunction<Wording, String, String> naming,
			BiConsumer<ObjectNode, Resource> names) {
		ObjectNode made = NODES.objectNode();
		for (Described resource : this.resources) {
			parts.properties().forEach((one) -> {
				ObjectNode part = (ObjectNode) this.copy.of(one.getValue(), resource);
				names.accept(part, resource.resource());
				made.set(naming.apply(resource.words(), one.getKey()), part);
			});
		}
		return made;
	}

	private static void address(ObjectNode channel, Resource resource) {
		boolean hasDeadLetters = channel.path("address").asString().endsWith("-dlt");
		channel.put("address", hasDeadLetters ? resource.deadLetterTopic() : resource.topic());
		if (resource.hasVersions() && !hasDeadLetters) {
			channel.put("description", channel.path("description").asString()
					+ " A record without a value deletes the document of its key, up to the version in the header"
					+ " `version` or, without it, in the timestamp.");
		}
	}

	private static void group(ObjectNode operation, Resource resource) {
		if (operation.at("/bindings/kafka/groupId") instanceof ObjectNode group) {
			group.put("const", group.path("const").asString().endsWith("-dead-letters") ? resource.deadLetterGroup()
					: resource.group());
		}
	}

	private static JsonNode component(String name, JsonNode component, Described resource) {
		if (!name.equals("Job")) {
			return component;
		}
		ObjectNode made = ((ObjectNode) component).deepCopy();
		if (resource.resource().hasVersions()) {
			made.withObject("/headers/properties/version")
				.put("type", "string")
				.put("description",
						"Of a record without a value: the version of the deletion, an integer or a date-time");
		}
		ObjectNode payload = made.putObject("payload").put("schemaFormat", FORMAT);
		payload.set("schema", resource.embedded());
		return made;
	}

}
