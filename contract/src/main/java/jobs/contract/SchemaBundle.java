package jobs.contract;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.DecimalNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * All files of a contract in one document: each one that is referred to stands under
 * {@code $defs} of the first, with an {@code $id} (JSON Schema 2020-12, section 9.3).
 */
final class SchemaBundle {

	/** A host that is nowhere (RFC 2606), for files that have no address. */
	private static final String HOST = "contract.invalid";

	private static final List<String> REFERENCES = List.of("$ref", "$dynamicRef");

	private static final Set<String> BOUNDS = Set.of("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum");

	private static final JsonMapper JSON = new JsonMapper();

	private final SchemaFolder folder;

	private final SchemaFile first;

	private final Map<String, Part> parts = new LinkedHashMap<>();

	private final Deque<Part> unread = new ArrayDeque<>();

	private final JsonNode tree;

	private SchemaBundle(SchemaFile first, SchemaFolder folder) {
		this.first = first;
		this.folder = folder;
		Part root = add(first);
		while (!this.unread.isEmpty()) {
			link(this.unread.remove());
		}
		this.tree = root.tree;
		if (root.tree instanceof ObjectNode object) {
			embed(root, object);
		}
	}

	/** Reads a file and those that it refers to. */
	static SchemaBundle read(SchemaFile first, SchemaFolder folder) {
		return new SchemaBundle(first, folder);
	}

	/** The whole as JSON; of a single file, the file as it is. */
	String text() {
		return (this.parts.size() > 1) ? JSON.writerWithDefaultPrettyPrinter().writeValueAsString(this.tree)
				: this.first.text();
	}

	/**
	 * The whole for the validator and the walk, in which every reference stays inside.
	 */
	JsonNode tree() {
		return this.tree;
	}

	SchemaIndex index() {
		return new SchemaIndex(this.tree, address(this.first.name()), this::fault);
	}

	/** Refuses the contract for a place of the whole, and names the file. */
	ContractException fault(String pointer, String reason) {
		return ContractException.at(file(pointer), pointerInFile(pointer), reason);
	}

	/** The file that a place of the whole comes from. */
	String file(String pointer) {
		Part part = embedded(pointer);
		return (part != null) ? part.file.name() : this.first.name();
	}

	/** The place in that file. */
	String pointerInFile(String pointer) {
		Part part = embedded(pointer);
		return (part != null) ? pointer.substring(part.pointer.length()) : pointer;
	}

	private @Nullable Part embedded(String pointer) {
		for (Part part : this.parts.values()) {
			if (!part.pointer.isEmpty() && (pointer + "/").startsWith(part.pointer + "/")) {
				return part;
			}
		}
		return null;
	}

	private Part add(SchemaFile file) {
		SchemaIndex.Places places = (pointer, reason) -> ContractException.at(file.name(), pointer, reason);
		MetaSchema.check(file.tree(), places);
		JsonNode tree = file.tree().deepCopy();
		Part part = new Part(file, tree, new SchemaIndex(tree, address(file.name()), places));
		part.index.all().forEach((schema) -> checkDialect(part, schema));
		this.parts.put(file.name(), part);
		this.unread.add(part);
		return part;
	}

	private static void checkDialect(Part part, Subschema schema) {
		String dialect = schema.get("$schema").asString(Keywords.DIALECT);
		if (!dialect.equals(Keywords.DIALECT) && !dialect.equals(Keywords.DIALECT + "#")) {
			throw part.index.fault(schema, "/$schema",
					"\"%s\" is not understood here, \"%s\" is".formatted(dialect, Keywords.DIALECT));
		}
	}

	/** Reads what a file refers to, and puts full addresses where it names files. */
	private void link(Part part) {
		for (Subschema schema : part.index.all()) {
			if (!(schema.node() instanceof ObjectNode node)) {
				continue;
			}
			for (String keyword : REFERENCES) {
				if (schema.get(keyword).isString()) {
					link(part, schema, keyword, node);
				}
			}
			for (String keyword : BOUNDS) {
				if (schema.get(keyword).isIntegralNumber()) {
					// the validator compares integers of its own in a way that fails at
					// 64 bits
					node.set(keyword, DecimalNode.valueOf(schema.get(keyword).decimalValue()));
				}
			}
		}
	}

	private void link(Part part, Subschema schema, String keyword, ObjectNode node) {
		String ref = schema.get(keyword).asString();
		String address = part.index.resolve(schema, "/" + keyword, ref);
		String document = document(address);
		Subschema own = part.index.resource(document);
		if (own != null || document.equals(Keywords.DIALECT)) {
			part.isReferredTo |= (own == part.index.root() && !ref.startsWith("#"));
			return;
		}
		for (Part other : this.parts.values()) {
			if (other.index.resource(document) != null) {
				other.isReferredTo = true;
				node.put(keyword, address);
				return;
			}
		}
		Part other = file(part, schema, keyword, address);
		other.isReferredTo = true;
		node.put(keyword, other.index.root().base() + address.substring(document.length()));
	}

	private Part file(Part part, Subschema schema, String keyword, String address) {
		String ref = schema.get(keyword).asString();
		String own = part.index.root().base().toString();
		String start = own.substring(0, own.lastIndexOf('/') + 1);
		String document = document(address);
		if (ref.contains("..") || document(ref).startsWith("/") || start.isEmpty() || !document.startsWith(start)) {
			throw part.index.fault(schema, "/" + keyword,
					"\"%s\" is no file of this folder or below it, and no $id in it".formatted(ref));
		}
		String name = part.file.name();
		String target = name.substring(0, name.lastIndexOf('/') + 1)
				+ URI.create("/" + document.substring(start.length())).getPath().substring(1);
		Part known = this.parts.get(target);
		if (known != null) {
			return known;
		}
		try {
			return add(this.folder.read(target));
		}
		catch (ContractException ex) {
			if (String.valueOf(ex.getMessage()).startsWith(target)) {
				throw ex;
			}
			throw part.index.fault(schema, "/" + keyword, "\"%s\": %s".formatted(ref, ex.getMessage()));
		}
	}

	private static String document(String address) {
		int hash = address.indexOf('#');
		return (hash < 0) ? address : address.substring(0, hash);
	}

	private static URI address(String name) {
		try {
			return new URI("https", HOST, "/" + name, null);
		}
		catch (URISyntaxException ex) {
			throw new ContractException("\"%s\" is no name of a file here".formatted(name), ex);
		}
	}

	private void embed(Part first, ObjectNode root) {
		// the validator takes no relative one
		if (first.isReferredTo || first.index.all().stream().anyMatch((schema) -> schema.has("$id"))) {
			root.put("$id", first.index.root().base().toString());
		}
		if (this.parts.size() == 1) {
			return;
		}
		ObjectNode definitions = root.withObjectProperty("$defs");
		for (Part part : this.parts.values()) {
			if (part != first) {
				String key = part.file.name();
				while (definitions.has(key)) {
					key += "_";
				}
				part.pointer = "/$defs/" + Subschema.escape(key);
				definitions.set(key, part.withAddress());
			}
		}
	}

	/** A file, as it stands in the whole. */
	private static final class Part {

		private final SchemaFile file;

		private final JsonNode tree;

		private final SchemaIndex index;

		private String pointer = "";

		private boolean isReferredTo;

		Part(SchemaFile file, JsonNode tree, SchemaIndex index) {
			this.file = file;
			this.tree = tree;
			this.index = index;
		}

		private ObjectNode withAddress() {
			ObjectNode schema = JSON.createObjectNode();
			schema.put("$id", this.index.root().base().toString());
			if (this.tree instanceof ObjectNode object) {
				object.forEachEntry((keyword, value) -> schema.set(keyword, value));
				schema.put("$id", this.index.root().base().toString());
			}
			else if (!this.tree.booleanValue()) {
				schema.set("not", JSON.createObjectNode());
			}
			return schema;
		}

	}

}
