package jobs.contract;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Refuses schemas that apply each other to the same value without end, or too often in a
 * row, and references that stand for too much.
 */
final class Applicators {

	/** The largest number of schemas that apply to a value because of each other. */
	static final int MAX_CHAIN = 64;

	/**
	 * The largest number of schemas that references stand for: the validator reads what
	 * is referred to once for each way to write that.
	 */
	private static final int MAX_COPIES = 100_000;

	private static final List<String> REFERENCES = List.of("$ref", "$dynamicRef");

	private static final List<String> IN_PLACE = List.of("/not", "/if", "/then", "/else");

	private static final List<String> IN_PLACE_ROWS = List.of("allOf", "anyOf", "oneOf");

	private final SchemaIndex index;

	private final Map<Subschema, Integer> lengths = new HashMap<>();

	private final Set<Subschema> open = new HashSet<>();

	private final Map<Subschema, Integer> sizes = new HashMap<>();

	private final Set<String> references = new HashSet<>();

	private int copies;

	private Applicators(SchemaIndex index) {
		this.index = index;
	}

	/**
	 * Checks all schemas; throws ContractException with the reference that closes a
	 * circle.
	 */
	static void check(SchemaIndex index) {
		Applicators applicators = new Applicators(index);
		// a reference may find schemas where no keyword has any
		int known = 0;
		while (known < index.all().size()) {
			known = index.all().size();
			index.all().forEach((schema) -> applicators.length(schema, schema, ""));
		}
		index.all().forEach(applicators::countCopies);
	}

	private void countCopies(Subschema schema) {
		for (String keyword : REFERENCES) {
			Subschema target = schema.has(keyword) ? this.index.target(schema, keyword) : null;
			if (target != null && this.references.add(schema.base() + " " + schema.get(keyword).asString())) {
				this.copies += size(target);
			}
			if (this.copies > MAX_COPIES) {
				throw this.index.fault(schema, "/" + keyword,
						"all references together stand for more than %d schemas".formatted(MAX_COPIES));
			}
		}
	}

	private int size(Subschema schema) {
		Integer known = this.sizes.get(schema);
		if (known == null) {
			int[] size = { 1 };
			Keywords.forEachSchema(schema.node(), (pointer, node) -> {
				Subschema child = this.index.child(schema, pointer);
				size[0] += (child != null) ? size(child) : 0;
			});
			known = size[0];
			this.sizes.put(schema, known);
		}
		return known;
	}

	private int length(@Nullable Subschema schema, Subschema from, String pointer) {
		if (schema == null) {
			return 0;
		}
		Integer known = this.lengths.get(schema);
		if (known == null) {
			if (!this.open.add(schema)) {
				throw this.index.fault(from, pointer, "leads back to itself without a step into the value");
			}
			known = measure(schema);
			this.open.remove(schema);
			this.lengths.put(schema, known);
		}
		if (known + this.open.size() > MAX_CHAIN) {
			throw this.index.fault(from, pointer,
					"more than %d schemas apply each other to one value".formatted(MAX_CHAIN));
		}
		return known;
	}

	private int measure(Subschema schema) {
		int longest = 0;
		for (String pointer : IN_PLACE) {
			longest = Math.max(longest, length(this.index.child(schema, pointer), schema, pointer));
		}
		for (String row : IN_PLACE_ROWS) {
			for (int i = 0; i < schema.get(row).size(); i++) {
				String pointer = "/" + row + "/" + i;
				longest = Math.max(longest, length(this.index.child(schema, pointer), schema, pointer));
			}
		}
		for (String name : schema.get("dependentSchemas").propertyNames()) {
			String pointer = "/dependentSchemas/" + Subschema.escape(name);
			longest = Math.max(longest, length(this.index.child(schema, pointer), schema, pointer));
		}
		for (String keyword : REFERENCES) {
			if (schema.has(keyword)) {
				longest = Math.max(longest, length(this.index.target(schema, keyword), schema, "/" + keyword));
			}
		}
		String dynamic = schema.get("$dynamicRef").asString("");
		for (Subschema anchor : this.index.dynamicAnchors(dynamic.substring(dynamic.indexOf('#') + 1))) {
			longest = Math.max(longest, length(anchor, schema, "/$dynamicRef"));
		}
		return longest + 1;
	}

}
