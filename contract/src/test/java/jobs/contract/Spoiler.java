package jobs.contract;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Makes an instance that differs from another in one place. */
final class Spoiler {

	private static final JsonMapper JSON = new JsonMapper();

	private static final List<JsonNode> VALUES = List.of(JSON.readTree("null"), JSON.readTree("true"),
			JSON.readTree("7"), JSON.readTree("-1.5"), JSON.readTree("1.0"), JSON.readTree("\"\""),
			JSON.readTree("\"x\""), JSON.readTree("[]"), JSON.readTree("[1,1]"), JSON.readTree("{}"),
			JSON.readTree("{\"x\":1}"));

	private Spoiler() {
	}

	/** An instance without the fields whose names no document may have. */
	static JsonNode withNamesOfFields(JsonNode instance) {
		if (instance instanceof ObjectNode object) {
			new ArrayList<>(object.propertyNames()).stream()
				.filter((name) -> name.startsWith("$") || name.indexOf('.') >= 0)
				.forEach(object::remove);
		}
		instance.forEach(Spoiler::withNamesOfFields);
		return instance;
	}

	/** A copy of an instance, with one place changed by chance. */
	static JsonNode spoil(JsonNode instance, Random random) {
		JsonNode copy = instance.deepCopy();
		List<JsonNode> parents = new ArrayList<>();
		collect(copy, parents);
		if (parents.isEmpty()) {
			return oneOf(VALUES, random);
		}
		JsonNode parent = oneOf(parents, random);
		if (parent instanceof ObjectNode object) {
			spoil(object, oneOf(new ArrayList<>(object.propertyNames()), random), random);
		}
		else if (parent instanceof ArrayNode array) {
			spoil(array, random.nextInt(array.size()), random);
		}
		return copy;
	}

	private static void spoil(ObjectNode object, String name, Random random) {
		switch (random.nextInt(5)) {
			case 0 -> object.remove(name);
			case 1 -> object.set("x-" + name, object.get(name));
			case 2 -> object.set(name, JSON.createArrayNode().add(object.get(name)));
			default -> object.set(name, changed(object.get(name), random));
		}
	}

	private static void spoil(ArrayNode array, int index, Random random) {
		switch (random.nextInt(5)) {
			case 0 -> array.remove(index);
			case 1 -> array.add(array.get(index).deepCopy());
			case 2 -> array.add(oneOf(VALUES, random));
			default -> array.set(index, changed(array.get(index), random));
		}
	}

	private static JsonNode changed(JsonNode value, Random random) {
		if (value.isString() && random.nextBoolean()) {
			String text = value.asString();
			return JSON.getNodeFactory()
				.stringNode(oneOf(List.of(text + " ", text + "\ud83d\ude00".repeat(300),
						text.substring(text.length() / 2), text + "x".repeat(5000)), random));
		}
		if (value.isNumber() && random.nextBoolean()) {
			return JSON.getNodeFactory().numberNode(value.asDecimal().negate().subtract(new BigDecimal("0.5")));
		}
		return oneOf(VALUES, random);
	}

	private static void collect(JsonNode node, List<JsonNode> parents) {
		if (!node.isEmpty()) {
			parents.add(node);
		}
		node.forEach((child) -> collect(child, parents));
	}

	private static <T> T oneOf(List<T> values, Random random) {
		return values.get(random.nextInt(values.size()));
	}

}
