package jobs.contract;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import com.networknt.schema.regex.RegularExpression;
import org.jspecify.annotations.Nullable;

/** What an object must be. */
final class ObjectRule {

	/** The least number of fields. */
	final long min;

	/** The largest number of fields. */
	final long max;

	/** How many fields must be there. */
	final int required;

	/** The rule of names, or {@code null} where all are right. */
	final @Nullable Rule names;

	private final Map<String, Field> fields = new HashMap<>();

	private final List<Family> families;

	private final Rule others;

	/**
	 * Makes a rule; a name that stands in no map and fits no family is one of the others.
	 */
	ObjectRule(Map<String, Rule> fields, Set<String> required, List<Family> families, Rule others, @Nullable Rule names,
			long min, long max) {
		this.families = families;
		this.others = others;
		this.names = names;
		this.min = min;
		this.max = max;
		this.required = required.size();
		fields.forEach((name, rule) -> this.fields.put(name, new Field(name, rule, required.contains(name))));
		required
			.forEach((name) -> this.fields.computeIfAbsent(name, (missing) -> new Field(name, ofOther(name), true)));
	}

	@Nullable Field field(String name) {
		return this.fields.get(name);
	}

	Stream<Field> fields() {
		return this.fields.values().stream();
	}

	/** The rule of a field that has none of its own. */
	Rule ofOther(String name) {
		for (int i = 0; i < this.families.size(); i++) {
			if (this.families.get(i).pattern.matches(name)) {
				return this.families.get(i).rule;
			}
		}
		return this.others;
	}

	List<Family> families() {
		return this.families;
	}

	Rule others() {
		return this.others;
	}

	/** Whether it knows all of the fields without a rule of their own. */
	boolean isDecidedBeyondFields() {
		// a name may fit two families at once
		return this.families.size() < 2 && this.families.stream().allMatch((family) -> family.rule.isDecided())
				&& this.others.isDecided() && (this.names == null || this.names.isDecided());
	}

	boolean isDecided() {
		return isDecidedBeyondFields() && fields().allMatch((field) -> field.rule.isDecided());
	}

	/**
	 * A field that is known by name.
	 *
	 * @param name the name
	 * @param rule the rule of its value
	 * @param isRequired whether it must be there
	 */
	record Field(String name, Rule rule, boolean isRequired) {
	}

	/**
	 * Fields of which the names fit a pattern.
	 *
	 * @param pattern the pattern
	 * @param rule the rule of their values
	 */
	record Family(RegularExpression pattern, Rule rule) {
	}

}
