package jobs.contract;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import com.networknt.schema.regex.RegularExpression;
import jobs.contract.NumberRule.Bound;
import jobs.contract.ObjectRule.Family;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Makes one rule of all schemas that apply to a value, for each place of a document. */
final class RuleCompiler {

	/** Keywords that are left to the validator. */
	private static final List<String> LEFT = List.of("oneOf", "anyOf", "not", "if", "unevaluatedProperties",
			"unevaluatedItems", "contains", "uniqueItems", "dependentSchemas", "dependentRequired", "$dynamicRef");

	private static final Map<String, Integer> TYPES = Map.of("null", Rule.NULL, "boolean", Rule.TRUE | Rule.FALSE,
			"integer", Rule.INTEGER, "number", Rule.INTEGER | Rule.FRACTION, "string", Rule.STRING, "array", Rule.ARRAY,
			"object", Rule.OBJECT);

	private final SchemaIndex index;

	private final Patterns patterns;

	private final boolean assertFormats;

	private final RuleMerger merger = new RuleMerger();

	private final Map<Subschema, Rule> compiled = new HashMap<>();

	private final Set<Subschema> open = new HashSet<>();

	RuleCompiler(SchemaIndex index, Patterns patterns, boolean assertFormats) {
		this.index = index;
		this.patterns = patterns;
		this.assertFormats = assertFormats;
	}

	/** The rule for the whole document. */
	Rule compile() {
		return compile(this.index.root());
	}

	private Rule compile(Subschema schema) {
		Rule known = this.compiled.get(schema);
		if (known != null) {
			return known;
		}
		if (!this.open.add(schema) || !this.merger.mayGrow()) {
			return Rule.open(List.of(schema));
		}
		Rule rule = schema.node().isBoolean() ? (schema.node().booleanValue() ? Rule.ANY : Rule.NONE) : all(schema);
		this.open.remove(schema);
		this.compiled.put(schema, rule);
		return rule;
	}

	/** Merges what a schema says itself with what it applies to the same value. */
	private Rule all(Subschema schema) {
		Rule whole = own(schema, LEFT.stream().anyMatch((keyword) -> isLeft(schema, keyword)));
		if (schema.has("$ref")) {
			Subschema target = this.index.target(schema, "$ref");
			whole = and(schema, whole, (target != null) ? compile(target) : Rule.open(List.of()));
		}
		for (int i = 0; i < schema.get("allOf").size() && !whole.isOpen(); i++) {
			whole = and(schema, whole, child(schema, "/allOf/" + i));
		}
		return whole;
	}

	private static boolean isLeft(Subschema schema, String keyword) {
		return schema.has(keyword) && !(keyword.equals("anyOf") && Values.isChoice(schema));
	}

	/** What is left to the validator is a schema as it stands. */
	private Rule and(Subschema schema, Rule one, Rule other) {
		return other.isAny() ? one : this.merger.and(one, other, List.of(schema));
	}

	private Rule child(Subschema schema, String pointer) {
		Subschema child = this.index.child(schema, pointer);
		return (child != null) ? compile(child) : Rule.ANY;
	}

	private Rule own(Subschema schema, boolean isLeft) {
		Values values = Values.of(schema);
		int kinds = types(schema.get("type")) & values.kinds();
		return new Rule(kinds, isLeft || values.hasContainers(), List.of(schema), text(schema, values),
				number(schema, values), array(schema), object(schema));
	}

	private static int types(JsonNode type) {
		if (type.isString()) {
			return TYPES.getOrDefault(type.asString(), 0);
		}
		return type.isArray() ? type.valueStream().mapToInt(RuleCompiler::types).reduce(0, (a, b) -> a | b) : Rule.ALL;
	}

	private @Nullable TextRule text(Subschema schema, Values values) {
		List<Predicate<String>> tests = new ArrayList<>();
		if (schema.has("pattern")) {
			tests.add(pattern(schema.get("pattern").asString())::matches);
		}
		if (schema.has("format") && this.assertFormats && Formats.names().contains(schema.get("format").asString())) {
			tests.add(Formats.test(schema.get("format").asString()));
		}
		long min = count(schema, "minLength", 0);
		long max = count(schema, "maxLength", Long.MAX_VALUE);
		boolean isEmpty = tests.isEmpty() && min == 0 && max == Long.MAX_VALUE && values.texts() == null;
		return isEmpty ? null : new TextRule(min, max, List.copyOf(tests), values.texts());
	}

	private RegularExpression pattern(String regex) {
		return this.patterns.getRegularExpression(regex);
	}

	private static @Nullable NumberRule number(Subschema schema, Values values) {
		Bound lower = Bound.tighter(bound(schema, "minimum", false), bound(schema, "exclusiveMinimum", true), 1);
		Bound upper = Bound.tighter(bound(schema, "maximum", false), bound(schema, "exclusiveMaximum", true), -1);
		List<BigDecimal> divisors = schema.has("multipleOf") ? List.of(schema.get("multipleOf").decimalValue())
				: List.of();
		boolean isEmpty = lower == null && upper == null && divisors.isEmpty() && values.numbers() == null;
		return isEmpty ? null : new NumberRule(lower, upper, divisors, values.numbers());
	}

	private static @Nullable Bound bound(Subschema schema, String keyword, boolean isExclusive) {
		return schema.has(keyword) ? new Bound(schema.get(keyword).decimalValue(), isExclusive) : null;
	}

	private @Nullable ArrayRule array(Subschema schema) {
		List<Rule> prefix = new ArrayList<>();
		for (int i = 0; i < schema.get("prefixItems").size(); i++) {
			prefix.add(child(schema, "/prefixItems/" + i));
		}
		Rule items = child(schema, "/items");
		long min = count(schema, "minItems", 0);
		long max = count(schema, "maxItems", Long.MAX_VALUE);
		boolean isEmpty = items.isAny() && prefix.stream().allMatch(Rule::isAny) && min == 0 && max == Long.MAX_VALUE;
		return isEmpty ? null : new ArrayRule(List.copyOf(prefix), items, min, max);
	}

	private @Nullable ObjectRule object(Subschema schema) {
		List<Family> families = new ArrayList<>();
		schema.get("patternProperties")
			.propertyNames()
			.forEach((regex) -> families
				.add(new Family(pattern(regex), child(schema, "/patternProperties/" + Subschema.escape(regex)))));
		Map<String, Rule> fields = new HashMap<>();
		for (String name : schema.get("properties").propertyNames()) {
			Rule rule = child(schema, "/properties/" + Subschema.escape(name));
			for (Family family : families) {
				rule = family.pattern().matches(name) ? this.merger.and(rule, family.rule()) : rule;
			}
			fields.put(name, rule);
		}
		Set<String> required = new HashSet<>();
		schema.get("required").forEach((name) -> required.add(name.asString()));
		Rule others = child(schema, "/additionalProperties");
		Rule names = schema.has("propertyNames") ? child(schema, "/propertyNames") : null;
		long min = count(schema, "minProperties", 0);
		long max = count(schema, "maxProperties", Long.MAX_VALUE);
		boolean isEmpty = fields.values().stream().allMatch(Rule::isAny) && required.isEmpty()
				&& families.stream().allMatch((family) -> family.rule().isAny()) && others.isAny() && names == null
				&& min == 0 && max == Long.MAX_VALUE;
		return isEmpty ? null : new ObjectRule(fields, required, List.copyOf(families), others, names, min, max);
	}

	private static long count(Subschema schema, String keyword, long other) {
		return schema.has(keyword)
				? schema.get(keyword).decimalValue().min(BigDecimal.valueOf(Long.MAX_VALUE)).longValue() : other;
	}

}
