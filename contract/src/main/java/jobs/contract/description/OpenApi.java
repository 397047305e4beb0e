package jobs.contract.description;

import java.util.List;
import java.util.stream.Collectors;

import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code openapi.yaml} for the resources of a file: each has the operations of jobs and
 * of their dead letters, under its paths and with its contract.
 */
public final class OpenApi {

	private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

	private final List<Described> resources;

	private final Copy copy = new Copy("openapi.yaml", OpenApi::component);

	private OpenApi(Resources resources) {
		this.resources = resources.all().stream().map(Described::of).toList();
	}

	/** The document (OpenAPI 3.1) as JSON, which is YAML. */
	public static String of(Resources resources) {
		return Copy.text(new OpenApi(resources).document());
	}

	private ObjectNode document() {
		ObjectNode made = NODES.objectNode();
		this.copy.source().properties().forEach((one) -> made.set(one.getKey(), switch (one.getKey()) {
			case "info" -> info((ObjectNode) one.getValue());
			case "tags" -> tags(one.getValue());
			case "paths" -> paths((ObjectNode) one.getValue());
			case "components" -> components((ObjectNode) one.getValue());
			default -> one.getValue();
		}));
		return made;
	}

	private JsonNode info(ObjectNode info) {
		if (this.resources.stream().anyMatch((one) -> !one.resource().isJobs())) {
			for (String field : List.of("title", "summary", "description")) {
				info.put(field, Wording.ofAny(info.path(field).asString()));
			}
		}
		return info;
	}

	private JsonNode tags(JsonNode tags) {
		ArrayNode made = NODES.arrayNode();
		for (Described resource : this.resources) {
			for (JsonNode tag : tags) {
				if (isOfAResource(tag.path("name").asString())) {
					made.addObject()
						.put("name", resource.words().tag(tag.path("name").asString()))
						.put("description", resource.words().text(tag.path("description").asString()));
				}
			}
		}
		tags.valueStream().filter((tag) -> !isOfAResource(tag.path("name").asString())).forEach(made::add);
		return made;
	}

	private static boolean isOfAResource(String tag) {
		return tag.equals("jobs") || tag.equals("dead letters");
	}

	private JsonNode paths(ObjectNode paths) {
		ObjectNode made = NODES.objectNode();
		for (Described resource : this.resources) {
			paths.properties().stream().filter((one) -> isOfAResource(one.getValue())).forEach((one) -> {
				ObjectNode item = (ObjectNode) this.copy.of(one.getValue(), resource);
				item.values().forEach((operation) -> name((ObjectNode) operation, resource));
				if (one.getKey().equals("/jobs")) {
					VersionedOperations.addToAll(item, resource);
				}
				else if (one.getKey().equals("/jobs/{id}")) {
					VersionedOperations.addToOne(item, resource);
				}
				made.set(resource.words().path(one.getKey()), item);
			});
		}
		paths.properties()
			.stream()
			.filter((one) -> !isOfAResource(one.getValue()))
			.forEach((one) -> made.set(one.getKey(), this.copy.of(one.getValue(), null)));
		((ObjectNode) made.at("/~1contracts~1{resource}/get/parameters/0")).put("example",
				this.resources.getFirst().resource().name());
		return made;
	}

	private static boolean isOfAResource(JsonNode item) {
		return item.valueStream().anyMatch((one) -> isOfAResource(one.at("/tags/0").asString("")));
	}

	private static void name(ObjectNode operation, Described resource) {
		operation.put("operationId", resource.words().operation(operation.path("operationId").asString()));
		operation.set("tags", NODES.arrayNode().add(resource.words().tag(operation.at("/tags/0").asString())));
		if (operation.get("parameters") instanceof ArrayNode parameters) {
			operation.set("parameters", filters(parameters, resource.resource()));
		}
		if (operation.at("/requestBody/content") instanceof ObjectNode content) {
			show(content, resource);
		}
	}

	/** In place of the one filter of jobs, those of the resource. */
	private static ArrayNode filters(ArrayNode parameters, Resource resource) {
		ArrayNode made = NODES.arrayNode();
		for (JsonNode one : parameters) {
			if (!one.path("name").asString("").equals("company")) {
				made.add(one);
				continue;
			}
			for (String pointer : resource.findBy()) {
				if (resource.isJobs() && pointer.equals("/company")) {
					made.add(one);
				}
				else {
					made.addObject()
						.put("name", pointer.substring(1).replace('/', '.'))
						.put("in", "query")
						.put("description", "The exact text of `%s`".formatted(pointer))
						.putObject("schema")
						.put("type", "string");
				}
			}
		}
		return made;
	}

	/** Shows examples that pass: those of the contract, or those of jobs. */
	private static void show(ObjectNode content, Described resource) {
		content.properties().forEach((one) -> {
			ObjectNode type = (ObjectNode) one.getValue();
			if (resource.examples().isEmpty() && resource.isBuiltIn()) {
				return;
			}
			type.remove("example");
			if (resource.examples().isEmpty()) {
				return;
			}
			if (one.getKey().equals("application/x-ndjson")) {
				type.put("example",
						resource.examples().stream().map((document) -> document + "\n").collect(Collectors.joining()));
			}
			else {
				ObjectNode examples = type.putObject("examples");
				resource.examples()
					.forEach((document) -> examples.putObject("example-" + (examples.size() + 1))
						.set("value", document));
			}
		});
	}

	private ObjectNode components(ObjectNode components) {
		ObjectNode made = NODES.objectNode();
		made.set("securitySchemes", components.path("securitySchemes"));
		made.setAll(this.copy.components());
		return made;
	}

	private static JsonNode component(String name, JsonNode component, Described resource) {
		return switch (name) {
			case "Job" -> resource.embedded();
			case "AcceptedJob" -> resource.isBuiltIn() ? component : withId(component.at("/allOf/1"), resource);
			case "StoredJob" -> withId(component, resource);
			case "Jobs" -> list((ObjectNode) component, resource.resource().name());
			default -> component;
		};
	}

	/**
	 * A document with the id that the pair gives. The rest of it is not said here, since
	 * a contract may forbid that field.
	 */
	private static JsonNode withId(JsonNode component, Described resource) {
		String field = resource.resource().idField();
		ObjectNode made = ((ObjectNode) component).deepCopy();
		made.putArray("required").add(field);
		ObjectNode properties = NODES.objectNode();
		component.path("properties")
			.properties()
			.forEach((one) -> properties.set(one.getKey().equals("id") ? field : one.getKey(), one.getValue()));
		if (resource.resource().showsOwnId()) {
			properties.remove(field);
		}
		else if (resource.resource().hasOwnIds()) {
			properties.putObject(field).put("type", "string").put("description", "The id of the document");
		}
		made.set("properties", properties);
		return made;
	}

	private static JsonNode list(ObjectNode component, String name) {
		ObjectNode made = component.deepCopy();
		made.putArray("required").add(name);
		ObjectNode properties = made.putObject("properties");
		component.path("properties")
			.properties()
			.forEach((one) -> properties.set(one.getKey().equals(Resource.JOBS) ? name : one.getKey(), one.getValue()));
		return made;
	}

}
