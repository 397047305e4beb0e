package jobs.contract;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The only values that {@code const} and {@code enum} let pass, also as alternatives of
 * {@code anyOf}.
 *
 * @param kinds the kinds of values among them
 * @param texts the strings among them, or {@code null} where all are right
 * @param numbers the numbers, without trailing zeros, or {@code null} where all are right
 * @param hasContainers whether there are arrays or objects among them
 */
record Values(int kinds, @Nullable Set<String> texts, @Nullable Set<BigDecimal> numbers, boolean hasContainers) {

	private static final Set<String> CHOICE = Set.of("const", "enum");

	private static final Values ALL = new Values(Rule.ALL, null, null, false);

	static Values of(Subschema schema) {
		Values values = ALL;
		if (schema.has("enum")) {
			values = values.and(of(schema.get("enum")));
		}
		if (schema.has("const")) {
			values = values.and(of(List.of(schema.get("const"))));
		}
		if (isChoice(schema)) {
			List<JsonNode> choices = new ArrayList<>();
			schema.get("anyOf").forEach((one) -> {
				if (one.has("const")) {
					choices.add(one.get("const"));
				}
				else {
					one.get("enum").forEach(choices::add);
				}
			});
			values = values.and(of(choices));
		}
		return values;
	}

	/**
	 * Whether all alternatives of {@code anyOf} say no more than which values they are.
	 */
	static boolean isChoice(Subschema schema) {
		return !schema.get("anyOf").isEmpty() && schema.get("anyOf")
			.valueStream()
			.allMatch((one) -> one.has("const") != one.has("enum") && one.propertyNames()
				.stream()
				.allMatch((name) -> CHOICE.contains(name) || Keywords.isAnnotation(name)));
	}

	private Values and(Values other) {
		return new Values(this.kinds & other.kinds, TextRule.common(this.texts, other.texts),
				TextRule.common(this.numbers, other.numbers), this.hasContainers || other.hasContainers);
	}

	private static Values of(Iterable<JsonNode> all) {
		int kinds = 0;
		Set<String> texts = new HashSet<>();
		Set<BigDecimal> numbers = new HashSet<>();
		for (JsonNode value : all) {
			kinds |= kind(value);
			if (value.isString()) {
				texts.add(value.asString());
			}
			else if (value.isNumber()) {
				numbers.add(value.decimalValue().stripTrailingZeros());
			}
		}
		return new Values(kinds, texts, numbers, (kinds & (Rule.ARRAY | Rule.OBJECT)) != 0);
	}

	private static int kind(JsonNode value) {
		return switch (value.getNodeType()) {
			case NULL -> Rule.NULL;
			case BOOLEAN -> value.booleanValue() ? Rule.TRUE : Rule.FALSE;
			case NUMBER -> Rule.INTEGER | Rule.FRACTION;
			case STRING -> Rule.STRING;
			case ARRAY -> Rule.ARRAY;
			default -> Rule.OBJECT;
		};
	}

}
