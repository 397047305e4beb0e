package jobs.contract;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** A set of code points. */
final class CodePointSet {

	/** The first of each range, and the last. */
	private final TreeMap<Integer, Integer> ranges = new TreeMap<>();

	/** A set of ranges, each given by its first and last. */
	static CodePointSet of(int... bounds) {
		CodePointSet set = new CodePointSet();
		for (int i = 0; i < bounds.length; i += 2) {
			set.add(bounds[i], bounds[i + 1]);
		}
		return set;
	}

	void add(int first, int last) {
		Map.Entry<Integer, Integer> before = this.ranges.floorEntry(first);
		int from = (before != null && before.getValue() >= first - 1) ? before.getKey() : first;
		int to = (before != null) ? Math.max(last, (from == first) ? last : before.getValue()) : last;
		Map.Entry<Integer, Integer> after = this.ranges.ceilingEntry(from);
		while (after != null && after.getKey() <= to + 1) {
			to = Math.max(to, after.getValue());
			this.ranges.remove(after.getKey());
			after = this.ranges.ceilingEntry(from);
		}
		this.ranges.put(from, to);
	}

	void addAll(CodePointSet other) {
		other.ranges.forEach(this::add);
	}

	CodePointSet complement() {
		CodePointSet others = new CodePointSet();
		int next = 0;
		for (Map.Entry<Integer, Integer> range : this.ranges.entrySet()) {
			if (range.getKey() > next) {
				others.ranges.put(next, range.getKey() - 1);
			}
			next = range.getValue() + 1;
		}
		if (next <= Character.MAX_CODE_POINT) {
			others.ranges.put(next, Character.MAX_CODE_POINT);
		}
		return others;
	}

	/** All bounds, in order. */
	int[] bounds() {
		return this.ranges.entrySet()
			.stream()
			.flatMapToInt((range) -> IntStream.of(range.getKey(), range.getValue()))
			.toArray();
	}

	/** The members, as they stand in a class of a regular expression. */
	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		this.ranges.forEach((first, last) -> {
			EcmaEscape.literal(first, text);
			if (!first.equals(last)) {
				text.append('-');
				EcmaEscape.literal(last, text);
			}
		});
		return text.toString();
	}

}
