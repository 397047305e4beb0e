package jobs.crawler.page;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Finds job postings of schema.org among the elements of a page, as microdata or RDFa
 * Lite has them, and writes them as JSON-LD does.
 */
final class Markup {

	/** Elements whose value is an address. Source: HTML, 5.2.4. */
	private static final Map<String, String> ADDRESSES = Map.of("a", "href", "area", "href", "link", "href", "img",
			"src", "audio", "src", "embed", "src", "iframe", "src", "source", "src", "video", "src", "object", "data");

	/** Items in each other, which may be in a circle. */
	private static final int MAX_DEPTH = 16;

	/** Properties of a page, of which references may make any number. */
	private static final int MAX_PROPERTIES = 20_000;

	/** Characters of all properties of a page, for the same reason. */
	private static final int MAX_CHARACTERS = 5_000_000;

	/** References of an element to others. */
	private static final int MAX_REFERENCES = 50;

	/**
	 * Elements of a page that are looked at, also where references lead to them again.
	 */
	private static final int MAX_ELEMENTS = 500_000;

	private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

	private final String type;

	private final String property;

	private int properties;

	private long characters;

	private int elements;

	/** The elements of the page by their ids, once a reference was followed. */
	private @Nullable Map<String, Element> byId;

	private Markup(String type, String property) {
		this.type = type;
		this.property = property;
	}

	/** The postings of a page, in their order. */
	static List<ObjectNode> postings(Document page) {
		List<ObjectNode> postings = new Markup("itemtype", "itemprop").of(page);
		return postings.isEmpty() ? new Markup("typeof", "property").of(page) : postings;
	}

	private List<ObjectNode> of(Document page) {
		List<ObjectNode> postings = new ArrayList<>();
		for (Element element : page.getElementsByAttribute(this.type)) {
			if (isPosting(element) && !isInside(element, postings, page)) {
				ObjectNode posting = read(element);
				if (JsonLd.hasTitle(posting)) {
					postings.add(posting);
				}
			}
		}
		return postings;
	}

	/** A posting that is a property of another one is told with that. */
	private boolean isInside(Element element, List<ObjectNode> postings, Document page) {
		return !postings.isEmpty() && element.hasAttr(this.property)
				&& element.parents().stream().anyMatch((parent) -> parent != page && isPosting(parent));
	}

	private boolean isPosting(Element element) {
		return "JobPosting".equals(name(element));
	}

	/** The type of an element in the vocabulary of schema.org, or {@code null}. */
	private @Nullable String name(Element element) {
		for (String type : element.attr(this.type).strip().split("\\s+")) {
			int slash = type.lastIndexOf('/');
			if (slash >= 0 && JsonLd.isSchemaOrg(type)) {
				return type.substring(slash + 1);
			}
			if (type.startsWith("schema:")) {
				return type.substring(7);
			}
			if (slash < 0 && !type.isEmpty() && this.type.equals("typeof") && hasVocabulary(element)) {
				return type;
			}
		}
		return null;
	}

	private static boolean hasVocabulary(Element element) {
		Element nearest = element.closest("[vocab]");
		return nearest != null && JsonLd.isSchemaOrg(nearest.attr("vocab"));
	}

	private ObjectNode read(Element element) {
		ObjectNode item = JSON.objectNode();
		item.put("@context", "https://schema.org");
		return readInto(element, item, 0);
	}

	private ObjectNode readInto(Element element, ObjectNode item, int depth) {
		if (depth > MAX_DEPTH) {
			return item;
		}
		String name = name(element);
		if (name != null) {
			item.put("@type", name);
		}
		element.children().forEach((child) -> collect(child, item, depth));
		for (String id : element.attr("itemref").strip().split("\\s+", MAX_REFERENCES + 1)) {
			Element other = id.isEmpty() ? null : byId(element.root(), id);
			if (other != null && !other.equals(element) && element.parents().stream().noneMatch(other::equals)) {
				collect(other, item, depth + 1);
			}
		}
		return item;
	}

	/**
	 * The first element with an id. To look through the page for each reference would let
	 * one page take minutes.
	 */
	private @Nullable Element byId(Element root, String id) {
		Map<String, Element> known = this.byId;
		if (known == null) {
			known = new HashMap<>();
			for (Element one : root.getElementsByAttribute("id")) {
				known.putIfAbsent(one.id(), one);
			}
			this.byId = known;
		}
		return known.get(id);
	}

	private void collect(Element element, ObjectNode item, int depth) {
		this.elements++;
		if (this.elements > MAX_ELEMENTS) {
			return;
		}
		boolean isItem = element.hasAttr("itemscope") || element.hasAttr(this.type);
		String names = element.attr(this.property).strip();
		if (!names.isEmpty()) {
			this.properties++;
			if (this.properties > MAX_PROPERTIES) {
				return;
			}
			JsonNode value = isItem ? readInto(element, JSON.objectNode(), depth + 1) : JSON.stringNode(text(element));
			for (String property : names.split("\\s+")) {
				add(item, property.startsWith("schema:") ? property.substring(7) : property, value);
			}
		}
		if (!isItem) {
			element.children().forEach((child) -> collect(child, item, depth));
		}
	}

	private String text(Element element) {
		if (this.characters > MAX_CHARACTERS) {
			return "";
		}
		String value = value(element);
		this.characters += value.length();
		return (this.characters > MAX_CHARACTERS) ? "" : value;
	}

	private static void add(ObjectNode item, String name, JsonNode value) {
		JsonNode before = item.get(name);
		if (before == null) {
			item.set(name, value);
		}
		else if (before instanceof ArrayNode values) {
			values.add(value);
		}
		else {
			item.set(name, JSON.arrayNode().add(before).add(value));
		}
	}

	/** The value of an element. Source: HTML, 5.2.4; a time counts by its attribute. */
	private static String value(Element element) {
		if (element.hasAttr("content")) {
			return element.attr("content");
		}
		String address = ADDRESSES.get(element.normalName());
		if (address != null && element.hasAttr(address)) {
			return element.absUrl(address);
		}
		if (element.normalName().equals("time") && element.hasAttr("datetime")) {
			return element.attr("datetime");
		}
		if ((element.normalName().equals("data") || element.normalName().equals("meter")) && element.hasAttr("value")) {
			return element.attr("value");
		}
		return element.wholeText().strip();
	}

}
