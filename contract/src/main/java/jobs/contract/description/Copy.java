package jobs.contract.description;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Copies parts of a document for a resource, with the components that they refer to. A
 * component in which a copy has other words gets a name of the resource, and one that is
 * the same for all is shared.
 */
final class Copy {

	private static final JsonMapper JSON = new JsonMapper();

	private static final String COMPONENTS = "#/components/";

	private static final String CHANNELS = "#/channels/";

	private final ObjectNode source;

	private final ObjectNode made = JsonNodeFactory.instance.objectNode();

	private final Special special;

	/** Reads a document of {@code contract/}. */
	Copy(String document, Special special) {
		this.special = special;
		try (InputStream file = Copy.class.getResourceAsStream("/docs/" + document)) {
			this.source = (ObjectNode) new YAMLMapper().readTree(Objects.requireNonNull(file));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** The document that is copied. */
	ObjectNode source() {
		return this.source;
	}

	/** Components that copies refer to, by their kinds. */
	ObjectNode components() {
		return this.made;
	}

	/** The text of a document: JSON, which is YAML. */
	static String text(JsonNode document) {
		return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(document) + "\n";
	}

	/** Copies a part for a resource or, for {@code null}, as it is. */
	JsonNode of(JsonNode part, @Nullable Described resource) {
		if (part instanceof ArrayNode array) {
			ArrayNode copy = JsonNodeFactory.instance.arrayNode();
			array.forEach((one) -> copy.add(of(one, resource)));
			return copy;
		}
		if (!(part instanceof ObjectNode object)) {
			return part;
		}
		ObjectNode copy = JsonNodeFactory.instance.objectNode();
		object.properties().forEach((one) -> copy.set(one.getKey(), field(one.getKey(), one.getValue(), resource)));
		return copy;
	}

	private JsonNode field(String name, JsonNode value, @Nullable Described resource) {
		if (value.isString() && name.equals("$ref")) {
			return JsonNodeFactory.instance.stringNode(reference(value.asString(), resource));
		}
		if (value.isString() && resource != null && (name.equals("description") || name.equals("summary"))) {
			return JsonNodeFactory.instance.stringNode(resource.words().text(value.asString()));
		}
		return of(value, resource);
	}

	private String reference(String target, @Nullable Described resource) {
		if (target.startsWith(CHANNELS) && resource != null) {
			return CHANNELS + resource.words().channel(target.substring(CHANNELS.length()));
		}
		if (!target.startsWith(COMPONENTS)) {
			return target;
		}
		String[] path = target.substring(COMPONENTS.length()).split("/");
		JsonNode original = this.source.at("/components/" + path[0] + "/" + path[1]);
		JsonNode copy = of(original, resource);
		if (resource != null) {
			copy = this.special.of(path[1], copy, resource);
		}
		String name = (resource == null || copy.equals(original)) ? path[1] : resource.words().component(path[1]);
		this.made.withObjectProperty(path[0]).set(name, copy);
		return COMPONENTS + path[0] + "/" + name;
	}

	/** Changes what other words alone would not make right. */
	@FunctionalInterface
	interface Special {

		/** Takes a component by its name in the source, with the words of a resource. */
		JsonNode of(String name, JsonNode component, Described resource);

	}

}
