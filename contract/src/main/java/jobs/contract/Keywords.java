package jobs.contract;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;

import tools.jackson.databind.JsonNode;

/** The keywords of JSON Schema 2020-12. */
final class Keywords {

	/** The dialect's address, which is also its meta-schema's. */
	static final String DIALECT = "https://json-schema.org/draft/2020-12/schema";

	/** Keywords that hold one schema. */
	private static final Set<String> WITH_SCHEMA = Set.of("additionalProperties", "propertyNames", "items", "contains",
			"not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties", "contentSchema");

	/** Keywords that hold schemas in a row. */
	private static final Set<String> WITH_ARRAY = Set.of("allOf", "anyOf", "oneOf", "prefixItems");

	/** Keywords that hold schemas by name; the last is of older drafts. */
	private static final Set<String> WITH_NAMES = Set.of("properties", "patternProperties", "dependentSchemas", "$defs",
			"definitions");

	/** The other keywords that can refuse a value, or say where schemas are. */
	private static final Set<String> OTHERS = Set.of("$schema", "$id", "$ref", "$anchor", "$dynamicRef",
			"$dynamicAnchor", "type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum",
			"exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems",
			"maxContains", "minContains", "maxProperties", "minProperties", "required", "dependentRequired", "format");

	private static final Set<String> ANNOTATIONS = Set.of("title", "description", "default", "examples", "deprecated",
			"readOnly", "writeOnly", "$comment");

	private static final Set<String> SILENT = Set.of("definitions", "contentSchema");

	private Keywords() {
	}

	/** All names that have a meaning here, in order, without those that only annotate. */
	static Set<String> meaningful() {
		Set<String> all = new TreeSet<>(OTHERS);
		all.addAll(WITH_SCHEMA);
		all.addAll(WITH_ARRAY);
		all.addAll(WITH_NAMES);
		all.removeAll(SILENT);
		return all;
	}

	static boolean isAnnotation(String keyword) {
		return ANNOTATIONS.contains(keyword) || keyword.startsWith("x-");
	}

	/**
	 * Visits the schemas that stand directly in one, each with the pointer from there.
	 */
	static void forEachSchema(JsonNode schema, BiConsumer<String, JsonNode> visitor) {
		schema.forEachEntry((keyword, value) -> {
			if (WITH_SCHEMA.contains(keyword) && isSchema(value)) {
				visitor.accept("/" + keyword, value);
			}
			else if (WITH_ARRAY.contains(keyword) && value.isArray()) {
				for (int i = 0; i < value.size(); i++) {
					visitor.accept("/" + keyword + "/" + i, value.get(i));
				}
			}
			else if (WITH_NAMES.contains(keyword) && value.isObject()) {
				value.forEachEntry((name, one) -> visitor.accept("/" + keyword + "/" + Subschema.escape(name), one));
			}
		});
	}

	static boolean isSchema(JsonNode node) {
		return node.isObject() || node.isBoolean();
	}

}
