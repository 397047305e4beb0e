package jobs.contract;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a value at one place must be, merged from all schemas that apply there.
 * <p>
 * A rule is open where it does not know all that these schemas say. The validator then
 * has to judge the values.
 */
final class Rule {

	static final int NULL = 1;

	static final int TRUE = 2;

	static final int FALSE = 4;

	/** A number without a fraction, such as 1 or 1.0. */
	static final int INTEGER = 8;

	static final int FRACTION = 16;

	static final int STRING = 32;

	static final int ARRAY = 64;

	static final int OBJECT = 128;

	static final int ALL = 255;

	/** Every value is right. */
	static final Rule ANY = new Rule(ALL, false, List.of(), null, null, null, null);

	/** No value is right. */
	static final Rule NONE = new Rule(0, false, List.of(), null, null, null, null);

	final int kinds;

	final @Nullable TextRule text;

	final @Nullable NumberRule number;

	final @Nullable ArrayRule array;

	final @Nullable ObjectRule object;

	private final boolean isOpen;

	private final boolean isDecided;

	private final List<Subschema> origins;

	Rule(int kinds, boolean isOpen, List<Subschema> origins, @Nullable TextRule text, @Nullable NumberRule number,
			@Nullable ArrayRule array, @Nullable ObjectRule object) {
		this.kinds = kinds;
		this.isOpen = isOpen;
		this.origins = origins;
		this.text = has(STRING) ? text : null;
		this.number = has(INTEGER | FRACTION) ? number : null;
		this.array = has(ARRAY) ? array : null;
		this.object = has(OBJECT) ? object : null;
		this.isDecided = !isOpen && (this.array == null || this.array.isDecided())
				&& (this.object == null || this.object.isDecided());
	}

	/** A rule that knows only which schemas it is of. */
	static Rule open(List<Subschema> origins) {
		return new Rule(ALL, true, origins, null, null, null, null);
	}

	boolean has(int kind) {
		return (this.kinds & kind) != 0;
	}

	/** The types that it allows, as JSON Schema names them. */
	List<String> types() {
		List<String> types = new ArrayList<>();
		add(types, NULL, "null");
		add(types, TRUE | FALSE, "boolean");
		add(types, FRACTION, "number");
		if (!has(FRACTION)) {
			add(types, INTEGER, "integer");
		}
		add(types, STRING, "string");
		add(types, ARRAY, "array");
		add(types, OBJECT, "object");
		return types;
	}

	private void add(List<String> types, int kinds, String type) {
		if (has(kinds)) {
			types.add(type);
		}
	}

	/** Whether nothing needs to be looked at. */
	boolean isAny() {
		return this.kinds == ALL && !this.isOpen && this.text == null && this.number == null && this.array == null
				&& this.object == null;
	}

	/** Whether it does not know all that applies to the value itself. */
	boolean isOpen() {
		return this.isOpen;
	}

	/** Whether it knows all, for the value and for those within. */
	boolean isDecided() {
		return this.isDecided;
	}

	/** The schemas that it is merged from; a value that fits all of them is right. */
	List<Subschema> origins() {
		return this.origins;
	}

}
