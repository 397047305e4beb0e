package jobs.contract;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Finds the schemas within one JSON document, by pointer, address and anchor. */
final class SchemaIndex {

	/**
	 * The largest number of schemas in a contract; each takes memory of the validator.
	 */
	private static final int MAX_SCHEMAS = 50_000;

	private final Map<String, Subschema> byPointer = new LinkedHashMap<>();

	private final Map<String, Subschema> resources = new HashMap<>();

	private final Map<String, Subschema> anchors = new HashMap<>();

	private final Map<String, List<Subschema>> dynamicAnchors = new HashMap<>();

	private final Places places;

	private final Subschema root;

	SchemaIndex(JsonNode root, URI base, Places places) {
		this.places = places;
		this.root = add(root, "", base);
		this.resources.putIfAbsent(base.toString(), this.root);
	}

	Subschema root() {
		return this.root;
	}

	/** All schemas that are known, from the root down, as they are now. */
	Collection<Subschema> all() {
		return List.copyOf(this.byPointer.values());
	}

	/** The schema at a pointer that goes from another. */
	@Nullable Subschema child(Subschema from, String pointer) {
		return this.byPointer.get(from.pointer() + pointer);
	}

	/** The schema at an address without fragment, its own or where it was found. */
	@Nullable Subschema resource(String address) {
		return this.resources.get(address);
	}

	/** Everything that a dynamic reference to a name may mean. */
	List<Subschema> dynamicAnchors(String name) {
		return this.dynamicAnchors.getOrDefault(name, List.of());
	}

	/** Refuses the contract for what stands in one schema. */
	ContractException fault(Subschema at, String pointer, String reason) {
		return this.places.fault(at.pointer() + pointer, reason);
	}

	/**
	 * The schema that a reference means, or {@code null} where that is the meta-schema.
	 * Throws ContractException where there is none.
	 */
	@Nullable Subschema target(Subschema at, String keyword) {
		String ref = at.get(keyword).asString();
		String address = resolve(at, "/" + keyword, ref);
		int hash = address.indexOf('#');
		String fragment = (hash < 0) ? "" : decode(address.substring(hash + 1));
		String document = (hash < 0) ? address : address.substring(0, hash);
		Subschema resource = this.resources.get(document);
		if (resource == null && document.equals(Keywords.DIALECT) && fragment.isEmpty()) {
			return null;
		}
		Subschema target = null;
		if (resource != null) {
			target = (fragment.isEmpty() || fragment.startsWith("/")) ? at(resource, fragment)
					: this.anchors.get(document + "#" + fragment);
		}
		if (target == null) {
			throw fault(at, "/" + keyword, "\"%s\" leads to no schema".formatted(ref));
		}
		return target;
	}

	/** The full address that a reference means. */
	String resolve(Subschema at, String pointer, String ref) {
		return resolve(at.base(), at.pointer() + pointer, ref).toString();
	}

	private URI resolve(URI base, String pointer, String ref) {
		try {
			// an address such as a URN has no path to go from
			return ref.startsWith("#") ? URI.create(base + ref) : base.resolve(ref);
		}
		catch (IllegalArgumentException ex) {
			throw this.places.fault(pointer, "\"%s\" is no address".formatted(ref));
		}
	}

	private static String decode(String fragment) {
		try {
			return URLDecoder.decode(fragment.replace("+", "%2B"), StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			return fragment;
		}
	}

	/**
	 * The schema at a pointer within another, even where no keyword says there is one.
	 */
	private @Nullable Subschema at(Subschema resource, String pointer) {
		String place = resource.pointer();
		JsonNode node = resource.node();
		URI base = resource.base();
		String[] tokens = pointer.split("/", -1);
		for (int i = 1; i < tokens.length; i++) {
			base = (i > 1) ? base(node, place, base) : base;
			String name = tokens[i].replace("~1", "/").replace("~0", "~");
			node = node.isArray() ? node.path(name.matches("0|[1-9]\\d{0,8}") ? Integer.parseInt(name) : -1)
					: node.path(name);
			place += "/" + Subschema.escape(name);
		}
		Subschema known = this.byPointer.get(place);
		return (known != null) ? known : Keywords.isSchema(node) ? add(node, place, base) : null;
	}

	private URI base(JsonNode node, String pointer, URI base) {
		String id = node.path("$id").asString("");
		URI own = id.isEmpty() ? base : resolve(base, pointer + "/$id", id);
		return (own.getRawFragment() != null) ? URI.create(own.toString().substring(0, own.toString().indexOf('#')))
				: own;
	}

	private Subschema add(JsonNode node, String pointer, URI base) {
		if (this.byPointer.size() >= MAX_SCHEMAS) {
			throw new ContractException("The contract has more than %d schemas".formatted(MAX_SCHEMAS));
		}
		URI own = base(node, pointer, base);
		Subschema schema = new Subschema(pointer, own, node);
		this.byPointer.put(pointer, schema);
		if (schema.get("$id").isString() && this.resources.putIfAbsent(own.toString(), schema) != null) {
			throw this.places.fault(pointer + "/$id", "another schema has the same address, \"%s\"".formatted(own));
		}
		if (schema.get("$anchor").isString()) {
			anchor(schema, schema.get("$anchor").asString());
		}
		if (schema.get("$dynamicAnchor").isString()) {
			anchor(schema, schema.get("$dynamicAnchor").asString());
			this.dynamicAnchors.computeIfAbsent(schema.get("$dynamicAnchor").asString(), (name) -> new ArrayList<>())
				.add(schema);
		}
		Keywords.forEachSchema(node, (at, child) -> {
			if (!this.byPointer.containsKey(pointer + at)) {
				add(child, pointer + at, own);
			}
		});
		return schema;
	}

	private void anchor(Subschema schema, String name) {
		Subschema other = this.anchors.putIfAbsent(schema.base() + "#" + name, schema);
		if (other != null && other != schema) {
			throw fault(schema, "", "another schema has the same anchor, \"%s\"".formatted(name));
		}
	}

	/** Says where in the files a place of the document is. */
	@FunctionalInterface
	interface Places {

		ContractException fault(String pointer, String reason);

	}

}
