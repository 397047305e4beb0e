package jobs.contract;

import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Turns a schema of draft-07 into one of draft 2020-12 that means the same. */
final class Draft07 {

	private static final JsonMapper JSON = new JsonMapper();

	private static final Set<String> SCHEMAS = Set.of("additionalProperties", "contains", "else", "if", "items", "not",
			"propertyNames", "then");

	private static final Set<String> LISTS = Set.of("allOf", "anyOf", "oneOf", "prefixItems");

	private static final Set<String> MAPS = Set.of("$defs", "definitions", "dependentSchemas", "patternProperties",
			"properties");

	private Draft07() {
	}

	/**
	 * The schema in the words of draft 2020-12; one that is of this draft already comes
	 * back as it is.
	 */
	static JsonNode to202012(JsonNode schema) {
		return schema.path("$schema").asString("").contains("2020-12") ? schema
				: ((ObjectNode) converted(schema)).put("$schema", "https://json-schema.org/draft/2020-12/schema");
	}

	private static JsonNode converted(JsonNode schema) {
		ObjectNode converted = JSON.createObjectNode();
		if (!schema.isObject()) {
			return schema;
		}
		for (Map.Entry<String, JsonNode> keyword : schema.properties()) {
			put(converted, schema, keyword.getKey(), keyword.getValue());
		}
		return converted;
	}

	private static void put(ObjectNode converted, JsonNode schema, String name, JsonNode value) {
		boolean isReference = schema.path("$ref").isString();
		if (name.equals("$ref") && isReference) {
			converted.put(name, value.asString().replaceAll("/items/(?=\\d)", "/prefixItems/"));
		}
		else if (MAPS.contains(name) && value.isObject()) {
			ObjectNode map = converted.putObject(name);
			value.properties().forEach((entry) -> map.set(entry.getKey(), converted(entry.getValue())));
		}
		else if (isReference || name.equals("$schema")) {
			// draft-07 ignores what stands beside a reference
		}
		else if (name.equals("$id") && value.asString().startsWith("#")) {
			converted.put("$anchor", value.asString().substring(1));
		}
		else if (name.equals("items") && value.isArray()) {
			put(converted, schema, "prefixItems", value);
		}
		else if (name.equals("additionalItems")) {
			if (schema.path("items").isArray()) {
				converted.set("items", converted(value));
			}
		}
		else if (name.equals("dependencies")) {
			value.properties()
				.forEach((entry) -> converted
					.withObjectProperty(entry.getValue().isArray() ? "dependentRequired" : "dependentSchemas")
					.set(entry.getKey(), converted(entry.getValue())));
		}
		else if (LISTS.contains(name) && value.isArray()) {
			ArrayNode list = converted.putArray(name);
			value.forEach((element) -> list.add(converted(element)));
		}
		else {
			converted.set(name, SCHEMAS.contains(name) ? converted(value) : value);
		}
	}

}
