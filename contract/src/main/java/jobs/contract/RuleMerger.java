package jobs.contract;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import jobs.contract.ObjectRule.Family;
import org.jspecify.annotations.Nullable;

/**
 * Merges rules that apply to one value. Each pair is merged once, and only so many: a
 * rule that would be too much stays open.
 */
final class RuleMerger {

	/** The largest number of rules; each takes memory, and some contracts make 2^30. */
	private static final int MAX_RULES = 10_000;

	/** The largest number of fields that are copied from rule to rule. */
	private static final int MAX_FIELDS = 1_000_000;

	private final Map<Pair, Rule> merged = new HashMap<>();

	private int rules;

	private int fields;

	/** Counts one more rule; false where there are too many already. */
	boolean mayGrow() {
		return ++this.rules <= MAX_RULES && this.fields <= MAX_FIELDS;
	}

	/** What both rules say. */
	Rule and(Rule a, Rule b) {
		if (a == b || b.isAny()) {
			return a;
		}
		if (a.isAny()) {
			return b;
		}
		Pair pair = new Pair(a, b);
		Rule known = this.merged.get(pair);
		if (known == null) {
			known = and(a, b, origins(a, b));
			this.merged.put(pair, known);
		}
		return known;
	}

	/** What both rules say, if these schemas say so together. */
	Rule and(Rule a, Rule b, List<Subschema> origins) {
		if (!mayGrow()) {
			return Rule.open(origins);
		}
		if ((a.kinds & b.kinds) == 0) {
			return Rule.NONE;
		}
		boolean haveFamilies = a.object != null && b.object != null && !a.object.families().isEmpty()
				&& !b.object.families().isEmpty();
		return new Rule(a.kinds & b.kinds, a.isOpen() || b.isOpen() || haveFamilies, origins,
				TextRule.and(a.text, b.text), NumberRule.and(a.number, b.number), and(a.array, b.array),
				and(a.object, b.object));
	}

	private static List<Subschema> origins(Rule a, Rule b) {
		Set<Subschema> both = new LinkedHashSet<>(a.origins());
		both.addAll(b.origins());
		return List.copyOf(both);
	}

	private @Nullable ArrayRule and(@Nullable ArrayRule a, @Nullable ArrayRule b) {
		if (a == null || b == null) {
			return (a != null) ? a : b;
		}
		List<Rule> prefix = new ArrayList<>();
		for (int i = 0; i < Math.max(a.prefix().size(), b.prefix().size()); i++) {
			prefix.add(and(a.at(i), b.at(i)));
		}
		return new ArrayRule(prefix, and(a.items(), b.items()), Math.max(a.min(), b.min()), Math.min(a.max(), b.max()));
	}

	private @Nullable ObjectRule and(@Nullable ObjectRule a, @Nullable ObjectRule b) {
		if (a == null || b == null) {
			return (a != null) ? a : b;
		}
		Map<String, Rule> fields = new HashMap<>();
		Set<String> required = new HashSet<>();
		List.of(a, b).forEach((object) -> object.fields().forEach((field) -> {
			fields.put(field.name(), Rule.ANY);
			if (field.isRequired()) {
				required.add(field.name());
			}
		}));
		this.fields += fields.size();
		fields.replaceAll((name, any) -> and(of(name, a), of(name, b)));
		List<Family> families = new ArrayList<>();
		a.families().forEach((family) -> families.add(new Family(family.pattern(), and(family.rule(), b.others()))));
		b.families().forEach((family) -> families.add(new Family(family.pattern(), and(a.others(), family.rule()))));
		Rule names = (a.names == null || b.names == null) ? ((a.names != null) ? a.names : b.names)
				: and(a.names, b.names);
		return new ObjectRule(fields, required, families, and(a.others(), b.others()), names, Math.max(a.min, b.min),
				Math.min(a.max, b.max));
	}

	private static Rule of(String name, ObjectRule object) {
		ObjectRule.Field field = object.field(name);
		return (field != null) ? field.rule() : object.ofOther(name);
	}

	/** Two rules, by identity: rules are made once. */
	private record Pair(Rule a, Rule b) {
	}

}
