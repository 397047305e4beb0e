package jobs.contract;

import java.util.List;
import java.util.Locale;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import jobs.contract.SchemaIndex.Places;
import tools.jackson.databind.JsonNode;

/** Tells whether JSON is a schema of 2020-12. */
final class MetaSchema {

	private static final Schema SCHEMA = SchemaRegistry
		.withDefaultDialect(SpecificationVersion.DRAFT_2020_12,
				(builder) -> builder
					.schemaRegistryConfig(SchemaRegistryConfig.builder().locale(Locale.ENGLISH).failFast(true).build()))
		.getSchema(SchemaLocation.of(Keywords.DIALECT));

	/** The largest length of a value that a reason quotes, in characters. */
	private static final int MAX_VALUE = 50;

	private MetaSchema() {
	}

	/** Throws what {@code places} makes of the first fault. */
	static void check(JsonNode schema, Places places) {
		checkNumbers("", schema, places);
		List<Error> errors = SCHEMA.validate(schema);
		if (!errors.isEmpty()) {
			Error error = errors.getFirst();
			throw fault(error.getInstanceLocation().toString(), error.getMessage(), error.getInstanceNode(), places);
		}
	}

	private static ContractException fault(String pointer, String reason, JsonNode value, Places places) {
		String json = value.toString();
		return places.fault(pointer, "%s (it is %s)".formatted(reason,
				(json.length() <= MAX_VALUE) ? json : json.substring(0, MAX_VALUE) + "…"));
	}

	/** Others take the validator a lot of time, or it fails. */
	private static void checkNumbers(String pointer, JsonNode node, Places places) {
		node.forEachEntry((name, value) -> {
			String place = pointer + "/" + Subschema.escape(name);
			if (value.isNumber() && magnitude(value) > (isCount(name) ? 18 : name.equals("multipleOf") ? 300 : 7000)) {
				throw fault(place, "the number is out of range", value, places);
			}
			checkNumbers(place, value, places);
		});
		if (node.isArray()) {
			for (int i = 0; i < node.size(); i++) {
				checkNumbers(pointer + "/" + i, node.get(i), places);
			}
		}
	}

	private static boolean isCount(String keyword) {
		return (keyword.startsWith("min") || keyword.startsWith("max")) && !keyword.endsWith("imum");
	}

	/** How many digits stand before the point, or zeros after it. */
	private static long magnitude(JsonNode number) {
		return Math.abs((long) number.decimalValue().precision() - number.decimalValue().scale());
	}

}
