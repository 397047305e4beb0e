package jobs.contract;

import java.util.List;

/**
 * What an array must be.
 *
 * @param prefix the rules of the first values
 * @param items the rule of the others
 * @param min the least number of values
 * @param max the largest number of values
 */
record ArrayRule(List<Rule> prefix, Rule items, long min, long max) {

	Rule at(int index) {
		return (index < this.prefix.size()) ? this.prefix.get(index) : this.items;
	}

	boolean isDecided() {
		return this.items.isDecided() && this.prefix.stream().allMatch(Rule::isDecided);
	}

}
