package jobs.contract;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * What a string must be.
 *
 * @param min the least number of code points
 * @param max the largest number of code points
 * @param tests its patterns and formats
 * @param values the only right ones, or {@code null}
 */
record TextRule(long min, long max, List<Predicate<String>> tests, @Nullable Set<String> values) {

	static TextRule of(Set<String> values) {
		return new TextRule(0, Long.MAX_VALUE, List.of(), values);
	}

	static @Nullable TextRule and(@Nullable TextRule a, @Nullable TextRule b) {
		if (a == null || b == null) {
			return (a != null) ? a : b;
		}
		return new TextRule(Math.max(a.min, b.min), Math.min(a.max, b.max),
				Stream.concat(a.tests.stream(), b.tests.stream()).toList(), common(a.values, b.values));
	}

	/** What two sets have in common, of which {@code null} has all. */
	static <T> @Nullable Set<T> common(@Nullable Set<T> a, @Nullable Set<T> b) {
		if (a == null || b == null) {
			return (a != null) ? a : b;
		}
		Set<T> both = new HashSet<>(a);
		both.retainAll(b);
		return both;
	}

	boolean accepts(JsonEvents.Text text) {
		return acceptsLength(text) && (this.values == null || this.values.contains(text.value())) && passes(text);
	}

	private boolean passes(JsonEvents.Text text) {
		for (int i = 0; i < this.tests.size(); i++) {
			if (!this.tests.get(i).test(text.value())) {
				return false;
			}
		}
		return true;
	}

	private boolean acceptsLength(JsonEvents.Text text) {
		if (this.min == 0 && this.max == Long.MAX_VALUE) {
			return true;
		}
		int units = text.length();
		// a code point is one unit or two
		if (units <= this.max && units / 2 >= this.min) {
			return true;
		}
		if (units < this.min || units / 2 > this.max) {
			return false;
		}
		int points = text.value().codePointCount(0, units);
		return points >= this.min && points <= this.max;
	}

}
