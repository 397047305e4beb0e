package jobs.crawler.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Finds the job postings of schema.org in JSON-LD, wherever they stand in it. It does not
 * expand contexts: of a context that is an object only its vocabulary counts.
 */
final class JsonLd {

	/** Objects in each other beyond which nobody has a posting. */
	private static final int MAX_DEPTH = 64;

	private final List<ObjectNode> postings = new ArrayList<>();

	private final List<String> links = new ArrayList<>();

	/** The postings, in their order. */
	List<ObjectNode> postings() {
		return this.postings;
	}

	/** The addresses of what lists name without saying more of it. */
	List<String> links() {
		return this.links;
	}

	/** Reads one script. */
	void read(JsonNode script) {
		walk(script, true, 0);
	}

	private void walk(JsonNode node, boolean isSchemaOrg, int depth) {
		if (depth > MAX_DEPTH) {
			return;
		}
		if (node.isArray()) {
			node.forEach((element) -> walk(element, isSchemaOrg, depth + 1));
		}
		else if (node instanceof ObjectNode object) {
			JsonNode context = object.get("@context");
			boolean isHere = (context != null) ? isSchemaOrg(context) : isSchemaOrg;
			if (hasType(object, "JobPosting", isHere) && hasTitle(object)) {
				this.postings.add(object);
				return;
			}
			if (hasType(object, "ListItem", isHere) || hasType(object, "JobPosting", isHere)) {
				JsonNode url = object.get("url");
				if (url != null && url.isString()) {
					this.links.add(url.stringValue());
				}
			}
			object.forEach((value) -> walk(value, isHere, depth + 1));
		}
	}

	/** Others have postings, too. */
	private static boolean isSchemaOrg(JsonNode context) {
		if (context.isString()) {
			return isSchemaOrg(context.stringValue());
		}
		if (context.isArray()) {
			return context.isEmpty() || context.valueStream().anyMatch(JsonLd::isSchemaOrg);
		}
		JsonNode vocabulary = context.get("@vocab");
		return vocabulary == null || !vocabulary.isString() || isSchemaOrg(vocabulary.stringValue());
	}

	static boolean isSchemaOrg(String vocabulary) {
		return vocabulary.strip().toLowerCase(Locale.ROOT).matches("(https?:)?(//)?(www\\.)?schema\\.org(/.*|#.*)?");
	}

	private static boolean hasType(ObjectNode object, String name, boolean isSchemaOrg) {
		JsonNode type = object.get("@type");
		if (type == null) {
			return false;
		}
		return type.isArray() ? type.valueStream().anyMatch((one) -> isType(one, name, isSchemaOrg))
				: isType(type, name, isSchemaOrg);
	}

	private static boolean isType(JsonNode type, String name, boolean isSchemaOrg) {
		if (!type.isString()) {
			return false;
		}
		String text = type.stringValue().strip();
		return isSchemaOrg && text.equals(name) || text.equals("schema:" + name)
				|| text.endsWith("/" + name) && isSchemaOrg(text);
	}

	/** Else it is only named here, as in a list of links. */
	static boolean hasTitle(ObjectNode object) {
		return isText(object.get("title")) || isText(object.get("name"));
	}

	private static boolean isText(@Nullable JsonNode node) {
		if (node == null) {
			return false;
		}
		if (node.isArray()) {
			return node.valueStream().anyMatch(JsonLd::isText);
		}
		return node.isObject() ? isText(node.get("@value")) : node.isString() && !node.stringValue().isBlank();
	}

}
