package jobs.contract;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import jobs.contract.ObjectRule.Field;
import tools.jackson.databind.JsonNode;

/**
 * The rules of a contract, compiled: a walk over the parts of a document checks what it
 * can, and the validator has the rest.
 */
final class Rules {

	private final Rule root;

	/** What checks the fields that the walk leaves to the validator. */
	private final Map<String, BiPredicate<JsonNode, Integer>> left;

	private Rules(Rule root, Map<String, BiPredicate<JsonNode, Integer>> left) {
		this.root = root;
		this.left = left;
	}

	/**
	 * Makes rules of the rule for the whole document. Where that is open, the validator
	 * has every document.
	 */
	static Rules of(Rule whole, Function<List<Subschema>, BiPredicate<JsonNode, Integer>> validator,
			boolean mayLeaveFields) {
		Rule root = new Rule(whole.kinds, whole.isOpen(), whole.origins(), null, null, null, whole.object);
		boolean isOpen = root.isOpen() || (root.object != null && !root.object.isDecidedBeyondFields());
		if (isOpen || (!root.isDecided() && !mayLeaveFields)) {
			return new Rules(Rule.NONE, Map.of());
		}
		if (root.object == null) {
			return new Rules(root, Map.of());
		}
		return new Rules(root,
				root.object.fields()
					.filter((field) -> !field.rule().isDecided())
					.collect(Collectors.toMap(Field::name, (field) -> validator.apply(field.rule().origins()))));
	}

	/** Whether the walk alone knows which documents are right. */
	boolean isDecided() {
		return this.root.isDecided() && this.root != Rule.NONE;
	}

	RuleWalk start() {
		return new RuleWalk(this.root);
	}

	/**
	 * Whether a document surely keeps the rules, after a walk over all of it. The tree is
	 * asked for once, and only for fields that the walk left.
	 */
	boolean accept(RuleWalk walk, Supplier<JsonNode> document, int length) {
		if (!walk.fits() || walk.left().isEmpty()) {
			return walk.fits();
		}
		JsonNode tree = document.get();
		return walk.left()
			.stream()
			.allMatch((field) -> Objects.requireNonNull(this.left.get(field.name()))
				.test(tree.get(field.name()), length));
	}

}
