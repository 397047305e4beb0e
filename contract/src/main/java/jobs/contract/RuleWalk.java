package jobs.contract;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

import jobs.contract.ObjectRule.Field;
import org.jspecify.annotations.Nullable;

/**
 * Checks one document by rules while its parts go by. Nothing within a value that may be
 * anything is looked at.
 */
final class RuleWalk implements JsonEvents {

	/** More containers than a document can close. */
	private static final int FOR_EVER = Integer.MAX_VALUE / 2;

	// Mutable state

	/** The rule of the innermost container that is open, which is of one of two kinds. */
	private @Nullable ObjectRule object;

	private @Nullable ArrayRule array;

	/** How many values it has, and how many required fields. */
	private int size;

	private int found;

	/** The containers around it. */
	private @Nullable Frame outer;

	/** How many open containers are not looked at. */
	private int skipped;

	private Rule next;

	private boolean fits = true;

	private @Nullable List<Field> left;

	RuleWalk(Rule root) {
		this.next = root;
	}

	/**
	 * Whether the document fits, apart from the fields that are left to the validator.
	 */
	boolean fits() {
		return this.fits;
	}

	/** The fields of the document that are left to the validator. */
	List<Field> left() {
		return (this.left != null) ? this.left : List.of();
	}

	@Override
	public void beginObject() {
		if (this.skipped > 0) {
			this.skipped++;
			return;
		}
		Rule rule = take();
		require(rule.has(Rule.OBJECT));
		open(rule.object, null);
	}

	@Override
	public void beginArray() {
		if (this.skipped > 0) {
			this.skipped++;
			return;
		}
		Rule rule = take();
		require(rule.has(Rule.ARRAY));
		open(null, rule.array);
	}

	private void open(@Nullable ObjectRule object, @Nullable ArrayRule array) {
		if (object == null && array == null) {
			this.skipped++;
			return;
		}
		if (this.object != null || this.array != null) {
			this.outer = new Frame(this.object, this.array, this.size, this.found, this.outer);
		}
		this.object = object;
		this.array = array;
		this.size = 0;
		this.found = 0;
	}

	@Override
	public void end() {
		if (this.skipped > 0) {
			this.skipped--;
			return;
		}
		if (this.object != null) {
			require(this.size >= this.object.min && this.size <= this.object.max && this.found == this.object.required);
		}
		else if (this.array != null) {
			require(this.size >= this.array.min() && this.size <= this.array.max());
		}
		Frame around = this.outer;
		if (around != null) {
			this.object = around.object;
			this.array = around.array;
			this.size = around.size;
			this.found = around.found;
			this.outer = around.outer;
		}
	}

	@Override
	public void name(String name) {
		if (this.skipped > 0) {
			return;
		}
		ObjectRule object = this.object;
		if (object == null) {
			return;
		}
		this.size++;
		Field field = object.field(name);
		if (field == null) {
			this.next = object.ofOther(name);
		}
		else {
			this.found += field.isRequired() ? 1 : 0;
			this.next = field.rule().isDecided() ? field.rule() : leave(field);
		}
		if (object.names != null) {
			require(accepts(object.names, new Name(name)));
		}
	}

	private Rule leave(Field field) {
		if (this.left == null) {
			this.left = new ArrayList<>();
		}
		this.left.add(field);
		return Rule.ANY;
	}

	@Override
	public void string(Text text) {
		if (this.skipped == 0) {
			require(accepts(take(), text));
		}
	}

	private static boolean accepts(Rule rule, Text text) {
		return rule.has(Rule.STRING) && (rule.text == null || rule.text.accepts(text));
	}

	@Override
	public void number(long value) {
		if (this.skipped == 0) {
			Rule rule = take();
			require(rule.has(Rule.INTEGER) && (rule.number == null || rule.number.accepts(value)));
		}
	}

	@Override
	public void number(Text decimal) {
		if (this.skipped == 0) {
			require(accepts(take(), decimal.value()));
		}
	}

	private static boolean accepts(Rule rule, String decimal) {
		boolean takesBoth = rule.has(Rule.INTEGER) && rule.has(Rule.FRACTION);
		if (takesBoth && rule.number == null) {
			return true;
		}
		BigDecimal value = new BigDecimal(decimal);
		int kind = (value.stripTrailingZeros().scale() <= 0) ? Rule.INTEGER : Rule.FRACTION;
		return rule.has(kind) && (rule.number == null || rule.number.accepts(value));
	}

	@Override
	public void literal(boolean value) {
		if (this.skipped == 0) {
			require(take().has(value ? Rule.TRUE : Rule.FALSE));
		}
	}

	@Override
	public void literalNull() {
		if (this.skipped == 0) {
			require(take().has(Rule.NULL));
		}
	}

	/** The rule of the value that comes now. */
	private Rule take() {
		ArrayRule array = this.array;
		return (array != null) ? array.at(this.size++) : this.next;
	}

	private void require(boolean kept) {
		if (!kept) {
			this.fits = false;
			this.skipped = FOR_EVER;
		}
	}

	/** A container that is open around another, as it was when that began. */
	private record Frame(@Nullable ObjectRule object, @Nullable ArrayRule array, int size, int found,
			@Nullable Frame outer) {
	}

	/** A name as text. */
	private record Name(String value) implements Text {

		@Override
		public int length() {
			return this.value.length();
		}

	}

}
